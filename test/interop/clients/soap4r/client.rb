# A caller on Ruby with the stubs of wsdl2ruby (soap4r). It sends its key as the MessageID of WS-Addressing.
require 'defaultDriver.rb'
require 'soap/header/simplehandler'
include Adyen

# REXML loses its place where a parser names the encoding of a text that it has begun to read (since REXML 3.3).
class XSD::XMLParser::REXMLParser
  def charset = nil
end

$endpoint, $shopper = ARGV[1], ARGV[2]

class MessageId < SOAP::Header::SimpleHandler
  def initialize(key)
    super(XSD::QName.new('http://www.w3.org/2005/08/addressing', 'MessageID'))
    @key = key
  end

  def on_simple_outbound
    @key
  end
end

def port(password, key = nil)
  port = RecurringPortType.new($endpoint)
  port.options['protocol.http.basic_auth'] << [$endpoint, 'ws@Company.Demo', password]
  port.headerhandler << MessageId.new(key) if key
  port
end

def say(name, value)
  puts "#{name}=#{value.nil? ? 'nil' : value}"
end

def day(date)
  date && date.new_offset(0).strftime('%Y-%m-%d')
end

def fault(name)
  yield
  say("fault.#{name}", 'none')
rescue SOAP::FaultError => thrown
  say("fault.#{name}", thrown.message)
rescue SOAP::HTTPStreamError, RuntimeError => thrown
  say("fault.#{name}", thrown.message.lines.first.strip)
end

def token(month)
  card = Card.new
  card.number = '4111111111111111'
  card.expiryMonth = month
  card.expiryYear = '2031'
  card.holderName = 'Zoë <&> Ω'
  card.cvc = '737'
  data = AnyType2anyTypeMap.new
  data << AnyType2anyTypeMap::Entry.new('a.b', 'ä & ö')
  request = StoreTokenRequest.new
  request.merchantAccount = 'DemoMerchant'
  request.shopperReference = $shopper
  request.shopperEmail = 'stack@example.com'
  request.card = card
  request.recurring = Recurring.new('RECURRING, ONECLICK')
  request.additionalData = data
  StoreToken.new(request)
end

def details(merchant, reference)
  request = RecurringDetailsRequest.new
  request.merchantAccount = merchant
  request.shopperReference = reference
  ListRecurringDetails.new(request)
end

def disable(reference)
  Disable.new(DisableRequest.new(nil, 'DemoMerchant', reference, $shopper))
end

keyed = port('demo-password', $shopper)
stored = keyed.storeToken(token('08')).result
say('store.result', stored.result)
say('store.reference', stored.recurringDetailReference)
say('store.pspReference', stored.pspReference)
say('again.pspReference', keyed.storeToken(token('08')).result.pspReference)

plain = port('demo-password')
list = plain.listRecurringDetails(details('DemoMerchant', $shopper)).result
say('list.shopper', list.shopperReference)
say('list.email', list.lastKnownShopperEmail)
say('list.date', day(list.creationDate))
say('list.count', list.details.length)
detail = list.details[0]
say('detail.reference', detail.recurringDetailReference)
say('detail.holder', detail.card.holderName)
say('detail.number', detail.card.number)
say('detail.expiry', "#{detail.card.expiryMonth}/#{detail.card.expiryYear}")
say('detail.variant', detail.variant)
say('detail.contracts', detail.contractTypes.to_a.join(','))
say('detail.date', day(detail.creationDate))
detail.additionalData.each { |entry| say("detail.map.#{entry.key}", entry.value) }
say('detail.bank', detail.bank)
say('detail.elv', detail.elv)
say('detail.cvc', detail.card.cvc)

bank = plain.listRecurringDetails(details('DemoMerchant', 'shopper-1')).result.details[2]
say('bank.iban', bank.bank.iban)
say('bank.card', bank.card)

account = BankAccount.new
account.iban = 'NL13TEST0123456789'
account.ownerName = 'Anna'
lookup = TokenLookupRequest.new
lookup.merchantAccount = 'DemoMerchant'
lookup.bank = account
say('lookup.shopper', plain.tokenLookup(TokenLookup.new(lookup)).result.tokens[0].shopperReference)

unknown = plain.listRecurringDetails(details('DemoMerchant', 'unknown-shopper')).result
say('unknown.count', unknown.details.to_a.length)
say('unknown.email', unknown.lastKnownShopperEmail)
say('unknown.date', day(unknown.creationDate))

check = ScheduleAccountUpdaterRequest.new
check.merchantAccount = 'DemoMerchant'
check.shopperReference = $shopper
check.reference = 'check-1'
check.selectedRecurringDetailReference = stored.recurringDetailReference
update = plain.scheduleAccountUpdater(ScheduleAccountUpdater.new(check)).result
say('update.result', update.result)
say('update.pspReference', update.pspReference)

say('disable.response', plain.disable(disable(stored.recurringDetailReference)).result.response)

fault('contract') { plain.disable(disable(nil)) }
fault('merchant') { plain.listRecurringDetails(details('OtherMerchant', $shopper)) }
fault('field') { plain.storeToken(token('13')) }
fault('credentials') { port('wrong').listRecurringDetails(details('DemoMerchant', $shopper)) }
