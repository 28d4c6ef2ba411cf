// Runs ASP.NET in this process, since the web server of Debian does not start: `mono host.exe PORT FOLDER`
using System;
using System.IO;
using System.Net;
using System.Text;
using System.Web;
using System.Web.Hosting;

public class Host : MarshalByRefObject {
  public static void Main(string[] arguments) {
    var host = (Host)ApplicationHost.CreateApplicationHost(typeof(Host), "/", arguments[1]);
    host.Serve(arguments[0], arguments[1]);
  }

  public override object InitializeLifetimeService() {
    return null;
  }

  void Serve(string port, string folder) {
    var listener = new HttpListener();
    listener.Prefixes.Add("http://127.0.0.1:" + port + "/");
    listener.Start();
    for (;;) {
      var context = listener.GetContext();
      if (LacksAction(context.Request)) Refuse(context.Response);
      else HttpRuntime.ProcessRequest(new Request(context, folder));
    }
  }

  // Mono finds the operation in the body. ASP.NET on Windows demands the header in SOAP 1.1.
  static bool LacksAction(HttpListenerRequest request) {
    var isSoap11 = request.HttpMethod == "POST" && request.ContentType.StartsWith("text/xml");
    return isSoap11 && (request.Headers["SOAPAction"] ?? "").Trim('"') == "";
  }

  static void Refuse(HttpListenerResponse response) {
    var text = Encoding.UTF8.GetBytes(
      "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode>" +
      "<faultstring>Server did not recognize the value of HTTP Header SOAPAction: .</faultstring></soap:Fault></soap:Body></soap:Envelope>");
    response.StatusCode = 500;
    response.ContentType = "text/xml; charset=utf-8";
    response.Close(text, true);
  }

  class Request : HttpWorkerRequest {
    readonly HttpListenerContext context;
    readonly string folder;
    readonly byte[] body;

    public Request(HttpListenerContext context, string folder) {
      this.context = context;
      this.folder = folder;
      var copy = new MemoryStream();
      context.Request.InputStream.CopyTo(copy);
      body = copy.ToArray();
    }

    public override string GetUriPath() { return context.Request.Url.AbsolutePath; }
    public override string GetQueryString() { return context.Request.Url.Query.TrimStart('?'); }
    public override string GetRawUrl() { return context.Request.RawUrl; }
    public override string GetHttpVerbName() { return context.Request.HttpMethod; }
    public override string GetHttpVersion() { return "HTTP/1.1"; }
    public override string GetRemoteAddress() { return "127.0.0.1"; }
    public override int GetRemotePort() { return 0; }
    public override string GetLocalAddress() { return "127.0.0.1"; }
    public override int GetLocalPort() { return context.Request.Url.Port; }
    public override string GetAppPath() { return "/"; }
    public override string GetAppPathTranslated() { return folder; }
    public override string GetFilePath() { return GetUriPath(); }
    public override string GetFilePathTranslated() { return MapPath(GetUriPath()); }
    public override string MapPath(string path) { return Path.Combine(folder, path.TrimStart('/')); }
    public override byte[] GetPreloadedEntityBody() { return body; }
    public override bool IsEntireEntityBodyIsPreloaded() { return true; }
    public override string GetKnownRequestHeader(int index) { return context.Request.Headers[GetKnownRequestHeaderName(index)]; }
    public override string GetUnknownRequestHeader(string name) { return context.Request.Headers[name]; }

    public override string[][] GetUnknownRequestHeaders() {
      return Array.ConvertAll(context.Request.Headers.AllKeys, name => new[] { name, context.Request.Headers[name] });
    }

    public override void SendStatus(int status, string description) { context.Response.StatusCode = status; }

    public override void SendKnownResponseHeader(int index, string value) {
      SendUnknownResponseHeader(GetKnownResponseHeaderName(index), value);
    }

    public override void SendUnknownResponseHeader(string name, string value) {
      if (name == "Content-Length" || name == "Connection") return;
      context.Response.Headers[name] = value;
    }

    public override void SendResponseFromMemory(byte[] data, int length) {
      context.Response.OutputStream.Write(data, 0, length);
    }

    public override void SendResponseFromFile(string name, long offset, long length) { throw new NotSupportedException(); }
    public override void SendResponseFromFile(IntPtr handle, long offset, long length) { throw new NotSupportedException(); }
    public override void FlushResponse(bool isLast) { if (isLast) context.Response.Close(); }
    public override void EndOfRequest() { context.Response.Close(); }
  }
}
