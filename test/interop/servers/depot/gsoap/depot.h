// The depot as gSOAP has it: soapcpp2 derives the WSDL and the code of the messages from this file.
//gsoap ns service name: Depot
//gsoap ns service type: Depot
//gsoap ns service port: http://depot.example/depot
//gsoap ns service namespace: urn:example:depot
//gsoap ns schema namespace: urn:example:depot
//gsoap ns schema elementForm: qualified

typedef char *xsd__string;
typedef char *xsd__decimal;
typedef char *xsd__dateTime;
typedef int xsd__int;

struct ns__Session { xsd__string sessionId 1; };
struct SOAP_ENV__Header { struct ns__Session *ns__Session_; };

struct ns__Parcel {
  xsd__string id 1;
  xsd__decimal weight 1;
  xsd__int pieces 1;
  xsd__dateTime sent 1;
  int __sizetag;
  xsd__string *tag;
  xsd__string owner 0;
};

struct ns__Box {
  xsd__string label 1;
  int __sizebox;
  struct ns__Box *box;
};

struct ns__ParcelNotFound {
  xsd__string id 1;
  int __sizeline;
  xsd__int *line;
};
struct SOAP_ENV__Detail { int __type; void *fault; struct ns__ParcelNotFound *ns__ParcelNotFound_; _XML __any; };

struct ns__LogInResponse { xsd__string since 1; };
struct ns__GetParcelResponse { struct ns__Parcel parcel 1; };
struct ns__PackResponse { struct ns__Box box 1; };
struct ns__GetNotesResponse { int __sizenote; xsd__string *note; };

//gsoap ns service method-action: LogIn urn:example:depot#LogIn
//gsoap ns service method-output-header-part: LogIn ns__Session_
int ns__LogIn(xsd__string user 1, struct ns__LogInResponse *answer);

//gsoap ns service method-action: GetParcel urn:example:depot#GetParcel
//gsoap ns service method-input-header-part: GetParcel ns__Session_
//gsoap ns service method-fault: GetParcel ns__ParcelNotFound
int ns__GetParcel(xsd__string id 1, struct ns__GetParcelResponse *answer);

//gsoap ns service method-action: Pack urn:example:depot#Pack
int ns__Pack(struct ns__Box box 1, struct ns__PackResponse *answer);

//gsoap ns service method-action: Notify urn:example:depot#Notify
int ns__Notify(xsd__string text 1, void);

//gsoap ns service method-action: GetNotes urn:example:depot#GetNotes
int ns__GetNotes(struct ns__GetNotesResponse *answer);
