<%@ WebService Language="C#" Class="Depot" %>
// The depot as ASP.NET has it, on Mono's implementation: it refuses a request without the SOAPAction of its operation.
using System;
using System.Collections.Generic;
using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

public class Session : SoapHeader {
  public string sessionId;
}

public class Parcel {
  public string id;
  public decimal weight;
  public int pieces;
  public DateTime sent;
  [XmlElement] public string[] tag;
  public string owner;
}

public class Box {
  public string label;
  [XmlElement("box")] public Box[] boxes;
}

public class Carrier {
  public string name;
}

public class Truck : Carrier {
  public string plate;
}

[WebService(Namespace = "urn:example:depot", Name = "Depot")]
[WebServiceBinding(ConformsTo = WsiProfiles.BasicProfile1_1)]
public class Depot : WebService {
  static readonly List<string> notes = new List<string>();
  public Session session;

  [WebMethod]
  [SoapHeader("session", Direction = SoapHeaderDirection.Out)]
  [return: XmlElement("since")]
  public string LogIn(string user) {
    session = new Session { sessionId = "s-" + user };
    return "today";
  }

  [WebMethod]
  [SoapHeader("session")]
  [return: XmlElement("parcel")]
  public Parcel GetParcel(string id) {
    if (id == "none") {
      var document = new XmlDocument();
      var detail = document.CreateNode(XmlNodeType.Element, SoapException.DetailElementName.Name, "");
      detail.InnerXml = "<ParcelNotFound xmlns=\"urn:example:depot\"><id>none</id><line>7</line><line>9</line></ParcelNotFound>";
      throw new SoapException("No such parcel", SoapException.ClientFaultCode, Context.Request.Url.AbsoluteUri, detail);
    }
    if (id == "broken") throw new SoapException("Out of order", SoapException.ServerFaultCode);
    return new Parcel {
      id = id,
      weight = 2.50m,
      pieces = 3,
      sent = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc),
      tag = new[] { "a", "b & c" },
      owner = session == null ? null : session.sessionId,
    };
  }

  [WebMethod]
  [return: XmlElement("box")]
  public Box Pack(Box box) {
    return box;
  }

  [WebMethod]
  [XmlInclude(typeof(Truck))]
  [return: XmlElement("carrier")]
  public Carrier Send(Carrier carrier) {
    return carrier;
  }

  [WebMethod]
  public void Notify(string text) {
    notes.Add(text);
  }

  [WebMethod]
  [return: XmlElement("note")]
  public string[] GetNotes() {
    return notes.ToArray();
  }
}
