// What a user of the generated client writes.
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.*;
import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Story {
  public static void main(String[] arguments) throws Exception {
    String baseUrl = arguments[0], token = arguments[1], domain = arguments[2];
    ApiClient client = new ApiClient().setBasePath(baseUrl);
    client.setBearerToken(token);
    DomainsApi domains = new DomainsApi(client);
    ChecksApi checks = new ChecksApi(client);
    EnforcementApi enforcement = new EnforcementApi(client);
    FixesApi fixes = new FixesApi(client);
    Map<String, Object> said = new TreeMap<>();

    NewDomain parked = new NewDomain().domain(domain).usageType(UsageType.PARKED);
    UUID id = domains.createDomain(parked).execute().getData().getId();
    VerificationRecord record = domains.getVerification(id).execute().getData().getVerificationRecord();
    JsonObject published = new JsonObject();
    published.addProperty("name", record.getHostname());
    published.addProperty("type", "TXT");
    published.addProperty("value", record.getValue());
    HttpRequest put = HttpRequest.newBuilder(URI.create(baseUrl + "/example-internet/records"))
        .header("Content-Type", "application/json")
        .PUT(HttpRequest.BodyPublishers.ofString(published.toString())).build();
    HttpClient.newHttpClient().send(put, HttpResponse.BodyHandlers.discarding());
    said.put("verified", domains.verifyDomain(id).execute().getData().getVerified());
    said.put("checked", checks.runChecks(id).execute().getData().getResults().getDmarc().getState());
    said.put("score", checks.getScore(id).execute().getData().getScore() != null);

    UUID weak = domains.listDomains().limit(100).execute().getData().stream()
        .filter(one -> one.getDomain().equals("weak.test")).findFirst().orElseThrow().getId();
    ReportsApi reports = new ReportsApi(client);
    said.put("reports", reports.listDmarcReports(weak).execute().getData().getSummary().getTotalReports() > 0);
    String sender = enforcement.listSenders(weak).execute().getData().get(0).getId();
    SenderUpdate approval = new SenderUpdate().status(SenderStatus.APPROVED);
    said.put("approved", enforcement.updateSender(weak, sender, approval).execute().getData().getStatus());
    SimulationRequest rejecting = new SimulationRequest().dmarc("v=DMARC1; p=reject");
    said.put("simulated", enforcement.simulateRecords(weak, rejecting).execute().getData().getSummary().getMessages() > 0);
    String zone = fixes.getFixesAsZone(weak).execute();
    said.put("zone", zone.contains("IN"));
    said.put("fixes", !fixes.getFixes(weak).execute().getData().getChanges().isEmpty());
    Preview preview = checks.previewChecks(weak, new PreviewRequest().zone(zone)).execute().getData();
    said.put("preview", preview.getScore().getScore() > preview.getScoreBefore());

    // Settings are replaced as a whole, and null turns a channel off.
    Gson usual = JSON.getGson();
    JSON.setGson(usual.newBuilder().serializeNulls().create());
    NewNotificationSettings settings = new NewNotificationSettings()
        .mail(new NewNotificationSettingsMail().address("a@example.org").threshold(AlertSeverity.WARNING)
            .digest(DigestFrequency.OFF).digestTimeZone("UTC"));
    NotificationsApi notifications = new NotificationsApi(client);
    said.put("mail", notifications.changeNotifications(settings).execute().getData().getMail().getAddress());
    JSON.setGson(usual);
    AlertsApi alerts = new AlertsApi(client);
    List<String> seen = new ArrayList<>();
    String pageToken = null;
    do {
      ListAlerts200Response found = alerts.listAlerts().pageToken(pageToken).limit(5).execute();
      for (Alert alert : found.getData()) seen.add(JSON.getGson().toJsonTree(alert).getAsJsonObject().get("id").getAsString());
      pageToken = found.getMeta().getPagination().getNextPageToken();
    } while (pageToken != null);
    said.put("alerts", new HashSet<>(seen).size() == seen.size() && seen.size() > 5);

    TokensApi tokens = new TokensApi(client);
    UUID made = tokens.createToken(new NewToken().name("generated")).execute().getData().getId();
    tokens.deleteToken(made).execute();
    CreateDomainsRequest names = new CreateDomainsRequest()
        .domains(List.of(parked, new NewDomain().domain("batch-" + domain).usageType(UsageType.PARKED)));
    List<Object> statuses = new ArrayList<>();
    for (BatchOutcome one : domains.createDomains(names).execute().getData()) {
      boolean isRefused = one.getActualInstance() instanceof RefusedDomain;
      statuses.add(isRefused ? one.getRefusedDomain().getStatus() : one.getRegisteredDomain().getStatus());
    }
    said.put("batch", statuses);
    System.out.println(JSON.getGson().toJson(said));
    // Its threads would go on.
    System.exit(0);
  }
}
