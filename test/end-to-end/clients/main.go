// What a user of the generated client writes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"story/monitor"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func to[T any](value T) *T { return &value }

func main() {
	baseURL, token, domain := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client := must(monitor.NewClientWithResponses(baseURL, monitor.WithRequestEditorFn(authorize)))
	said := map[string]any{}

	parked := monitor.UsageType("parked")
	body := monitor.NewDomain{Domain: domain, UsageType: &parked}
	created := must(client.CreateDomainWithResponse(ctx, nil, body)).JSON201.Data
	record := must(client.GetVerificationWithResponse(ctx, created.Id, nil)).JSON200.Data.VerificationRecord
	publish := must(json.Marshal(map[string]string{"name": record.Hostname, "type": "TXT", "value": record.Value}))
	put := must(http.NewRequest("PUT", baseURL+"/example-internet/records", bytes.NewReader(publish)))
	put.Header.Set("Content-Type", "application/json")
	must(http.DefaultClient.Do(put)).Body.Close()
	said["verified"] = must(client.VerifyDomainWithResponse(ctx, created.Id, nil)).JSON200.Data.Verified
	said["checked"] = must(client.RunChecksWithResponse(ctx, created.Id, nil)).JSON200.Data.Results.Dmarc.State
	said["score"] = must(client.GetScoreWithResponse(ctx, created.Id, nil)).JSON200.Data.Score != nil

	var weak monitor.Id
	domains := must(client.ListDomainsWithResponse(ctx, &monitor.ListDomainsParams{Limit: to(100)})).JSON200.Data
	for _, one := range domains {
		if one.Domain == "weak.test" {
			weak = one.Id
		}
	}
	said["reports"] = must(client.ListDmarcReportsWithResponse(ctx, weak, nil)).JSON200.Data.Summary.TotalReports > 0
	senders := must(client.ListSendersWithResponse(ctx, weak, nil)).JSON200.Data
	approval := monitor.SenderUpdate{Status: to(monitor.SenderStatusApproved)}
	approved := must(client.UpdateSenderWithResponse(ctx, weak, senders[0].Id, nil, approval)).JSON200.Data
	said["approved"] = approved.Status
	rejecting := monitor.SimulationRequest{Dmarc: to("v=DMARC1; p=reject")}
	simulated := must(client.SimulateRecordsWithResponse(ctx, weak, nil, rejecting)).JSON200.Data
	said["simulated"] = simulated.Summary.Messages > 0
	zone := string(must(client.GetFixesAsZoneWithResponse(ctx, weak, nil)).Body)
	said["zone"] = strings.Contains(zone, "IN")
	said["fixes"] = len(must(client.GetFixesWithResponse(ctx, weak, nil)).JSON200.Data.Changes) > 0
	preview := must(client.PreviewChecksWithResponse(ctx, weak, nil, monitor.PreviewRequest{Zone: &zone})).JSON200.Data
	said["preview"] = *preview.Score.Score > *preview.ScoreBefore

	settings := monitor.NewNotificationSettings{}
	must(0, json.Unmarshal([]byte(`{"mail": {"address": "a@example.org"}, "webhook": null}`), &settings))
	changed := must(client.ChangeNotificationsWithResponse(ctx, nil, settings)).JSON200.Data
	said["mail"] = changed.Mail.Address
	seen := map[string]bool{}
	count := 0
	for params := (&monitor.ListAlertsParams{Limit: to(5)}); params != nil; {
		alerts := must(client.ListAlertsWithResponse(ctx, params)).JSON200
		for _, alert := range alerts.Data {
			text := must(alert.MarshalJSON())
			var id struct{ ID string }
			must(0, json.Unmarshal(text, &id))
			seen[id.ID] = true
			count++
		}
		next := alerts.Meta.Pagination.NextPageToken
		params.PageToken = next
		if next == nil {
			params = nil
		}
	}
	said["alerts"] = count == len(seen) && count > 5

	made := must(client.CreateTokenWithResponse(ctx, nil, monitor.NewToken{Name: "generated"})).JSON201.Data
	must(client.DeleteTokenWithResponse(ctx, made.Id, nil))
	batch := monitor.CreateDomainsJSONRequestBody{Domains: []monitor.NewDomain{body, {Domain: "batch-" + domain, UsageType: &parked}}}
	statuses := []int{}
	for _, outcome := range must(client.CreateDomainsWithResponse(ctx, nil, batch)).JSON200.Data {
		switch one := must(outcome.ValueByDiscriminator()).(type) {
		case monitor.RegisteredDomain:
			statuses = append(statuses, int(one.Status))
		case monitor.RefusedDomain:
			statuses = append(statuses, int(one.Status))
		}
	}
	said["batch"] = statuses
	fmt.Println(string(must(json.Marshal(said))))
}
