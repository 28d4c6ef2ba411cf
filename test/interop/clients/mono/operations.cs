// Calls each operation by stubs, with the example of its request, which is in the file `<name>.xml`. Prints "ok", or the error.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

public static class Operations
{
    public static void Main()
    {
        Type type = Assembly.GetExecutingAssembly().GetTypes().Single(each => typeof(SoapHttpClientProtocol).IsAssignableFrom(each));
        var client = (SoapHttpClientProtocol)Activator.CreateInstance(type);
        client.Url = Environment.GetEnvironmentVariable("ADDRESS");
        foreach (MethodInfo method in type.GetMethods())
        {
            var document = (SoapDocumentMethodAttribute)method.GetCustomAttributes(typeof(SoapDocumentMethodAttribute), false).FirstOrDefault();
            if (document == null) continue;
            string name = string.IsNullOrEmpty(document.RequestElementName) ? method.Name : document.RequestElementName;
            new WebClient().UploadString(Environment.GetEnvironmentVariable("MOCK") + "/_test/reset", "");
            try
            {
                var message = new XmlDocument();
                message.Load(name + ".xml");
                method.Invoke(client, method.GetParameters().Select(each => Read(each, message.DocumentElement)).ToArray());
                Console.WriteLine(name + " ok");
            }
            catch (TargetInvocationException thrown)
            {
                Console.WriteLine(name + " " + thrown.InnerException.Message.Replace('\n', ' '));
            }
        }
    }

    /// The elements of a parameter, as its serializer reads them.
    private static object Read(ParameterInfo parameter, XmlElement message)
    {
        if (parameter.IsOut) return null;
        var element = (XmlElementAttribute)parameter.GetCustomAttributes(typeof(XmlElementAttribute), false).FirstOrDefault();
        string name = element == null || string.IsNullOrEmpty(element.ElementName) ? parameter.Name : element.ElementName;
        // What is in the answer, too, is a reference.
        Type type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType() : parameter.ParameterType;
        bool isSpecified = type == typeof(bool) && name.EndsWith("Specified") && !HasChild(message, name);
        if (isSpecified) return HasChild(message, name.Substring(0, name.Length - "Specified".Length));
        bool isList = type.IsArray && type != typeof(byte[]) && element != null;
        Type item = isList ? type.GetElementType() : type;
        var values = new List<object>();
        foreach (XmlElement child in message.ChildNodes.OfType<XmlElement>().Where(each => each.LocalName == name))
        {
            var root = new XmlRootAttribute(child.LocalName) { Namespace = child.NamespaceURI };
            // The serializer of a type by itself wants a time of each date.
            values.Add(item == typeof(DateTime)
                ? XmlConvert.ToDateTime(child.InnerText, XmlDateTimeSerializationMode.RoundtripKind)
                : new XmlSerializer(item, root).Deserialize(new XmlNodeReader(child)));
        }
        if (!isList) return values.Count > 0 ? values[0] : type.IsValueType ? Activator.CreateInstance(type) : null;
        Array all = Array.CreateInstance(item, values.Count);
        for (int at = 0; at < values.Count; at++) all.SetValue(values[at], at);
        return all;
    }

    private static bool HasChild(XmlElement message, string name)
    {
        return message.ChildNodes.OfType<XmlElement>().Any(each => each.LocalName == name);
    }
}
