# A caller on Perl: SOAP::Lite without a WSDL. It types what it sends by itself, and does not qualify children unless it is told to.
use strict;
use warnings;
use utf8;
use POSIX qw(strftime);
use SOAP::Lite;
binmode STDOUT, ':encoding(UTF-8)';

my (undef, $endpoint, $shopper, $style) = @ARGV;
my $namespace = 'http://recurring.services.adyen.com';
my $password = 'demo-password';

sub SOAP::Transport::HTTP::Client::get_basic_credentials { return ('ws@Company.Demo', $password) }

sub client {
    my $client = SOAP::Lite->proxy($endpoint, timeout => 20);
    return $style eq 'qualified' ? $client->default_ns($namespace) : $client->ns($namespace, 'adyen');
}
my $client = client();

sub say_value {
    my ($name, $value) = @_;
    print "$name=", (defined $value && $value ne '' ? $value : 'nil'), "\n";
}

sub day { my ($date) = @_; return $date && substr($date, 0, 10) }

sub call {
    my ($operation, $request, $caller) = @_;
    my $answer = ($caller || $client)->call($operation, SOAP::Data->name(request => $request));
    die $answer->faultstring, "\n" if $answer->fault;
    return $answer->result;
}

sub fault {
    my ($name, $operation, $request, $caller) = @_;
    my $answer = eval { call($operation, $request, $caller); 'none' };
    my $text = $answer || $@;
    $text =~ s/\s+$//;
    $text =~ s/ at \S+ line \d+\.$//;
    say_value("fault.$name", $text);
}

sub each_of { my ($elements) = @_; return ref $elements eq 'ARRAY' ? @$elements : ($elements) }

my %account = (merchantAccount => 'DemoMerchant', shopperReference => $shopper);
# Without a type, text outside of ASCII is sent as base64Binary.
sub text { return SOAP::Data->type(string => shift) }
my %card = (
    number => '4111111111111111',
    expiryMonth => '08',
    expiryYear => '2031',
    holderName => text('Zoë <&> Ω'),
    cvc => '737',
);
my %token = (
    %account,
    card => \%card,
    recurring => { contract => 'RECURRING, ONECLICK' },
    additionalData => \SOAP::Data->name(entry => { key => 'a.b', value => text('ä & ö') }),
    shopperEmail => 'stack@example.com',
);

$client->transport->default_header('Idempotency-Key' => $shopper);
my $stored = call('storeToken', \%token);
say_value('store.result', $stored->{result});
say_value('store.reference', $stored->{recurringDetailReference});
say_value('store.pspReference', $stored->{pspReference});
say_value('again.pspReference', call('storeToken', \%token)->{pspReference});
$client = client();

my $list = call('listRecurringDetails', { %account, recurring => { contract => 'ONECLICK' } });
say_value('list.shopper', $list->{shopperReference});
say_value('list.email', $list->{lastKnownShopperEmail});
say_value('list.date', day($list->{creationDate}));
my @details = each_of($list->{details}{RecurringDetail});
say_value('list.count', scalar @details);
my $detail = $details[0];
say_value('detail.reference', $detail->{recurringDetailReference});
say_value('detail.holder', $detail->{card}{holderName});
say_value('detail.number', $detail->{card}{number});
say_value('detail.expiry', "$detail->{card}{expiryMonth}/$detail->{card}{expiryYear}");
say_value('detail.variant', $detail->{variant});
say_value('detail.contracts', join ',', each_of($detail->{contractTypes}{string}));
say_value('detail.date', day($detail->{creationDate}));
say_value("detail.map.$_->{key}", $_->{value}) for each_of($detail->{additionalData}{entry});
say_value('detail.bank', $detail->{bank});
say_value('detail.elv', $detail->{elv});
say_value('detail.cvc', $detail->{card}{cvc});

my $demo = call('listRecurringDetails', { %account, shopperReference => 'shopper-1' });
my $bank = $demo->{details}{RecurringDetail}[2];
say_value('bank.iban', $bank->{bank}{iban});
say_value('bank.card', $bank->{card});

my $holders = call('tokenLookup',
    { merchantAccount => 'DemoMerchant', bank => { iban => 'NL13TEST0123456789', ownerName => 'Anna' } });
say_value('lookup.shopper', (each_of($holders->{tokens}{TokenDetail}))[0]{shopperReference});

my $unknown = call('listRecurringDetails', { %account, shopperReference => 'unknown-shopper' });
say_value('unknown.count', ref $unknown->{details} ? scalar each_of($unknown->{details}{RecurringDetail}) : 0);
say_value('unknown.email', $unknown->{lastKnownShopperEmail});
say_value('unknown.date', $unknown->{creationDate});

my $reference = $stored->{recurringDetailReference};
my $update = call('scheduleAccountUpdater',
    { %account, reference => 'check-1', selectedRecurringDetailReference => $reference });
say_value('update.result', $update->{result});
say_value('update.pspReference', $update->{pspReference});

say_value('disable.response', call('disable', { %account, recurringDetailReference => $reference })->{response});

fault('contract', 'disable', \%account);
fault('merchant', 'listRecurringDetails', { %account, merchantAccount => 'OtherMerchant' });
fault('field', 'storeToken', { %token, card => { %card, expiryMonth => '13' } });
$password = 'wrong';
fault('credentials', 'listRecurringDetails', \%account, client());
