"""What a user of the generated client writes."""

import json
import sys

import httpx
from email_domain_security_monitor_client import AuthenticatedClient
from email_domain_security_monitor_client.api.alerts import list_alerts
from email_domain_security_monitor_client.api.checks import get_score, preview_checks, run_checks
from email_domain_security_monitor_client.api.domains import (
    create_domain,
    create_domains,
    get_verification,
    list_domains,
    verify_domain,
)
from email_domain_security_monitor_client.api.enforcement import list_senders, simulate_records, update_sender
from email_domain_security_monitor_client.api.fixes import get_fixes, get_fixes_as_zone
from email_domain_security_monitor_client.api.notifications import change_notifications
from email_domain_security_monitor_client.api.reports import list_dmarc_reports
from email_domain_security_monitor_client.api.tokens import create_token, delete_token
from email_domain_security_monitor_client import models
from email_domain_security_monitor_client.types import UNSET, Unset

base_url, token, domain = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token, raise_on_unexpected_status=True)
said = {}

created = create_domain.sync(client=client, body=models.NewDomain(domain=domain, usage_type=models.UsageType.PARKED)).data
record = get_verification.sync(created.id, client=client).data.verification_record
publish = {"name": record.hostname, "type": "TXT", "value": record.value}
httpx.put(f"{base_url}/example-internet/records", json=publish).raise_for_status()
said["verified"] = verify_domain.sync(created.id, client=client).data.verified
said["checked"] = run_checks.sync(created.id, client=client).data.results.dmarc.state
said["score"] = get_score.sync(created.id, client=client).data.score is not None

[weak] = [one for one in list_domains.sync(client=client, limit=100).data if one.domain == "weak.test"]
said["reports"] = list_dmarc_reports.sync(weak.id, client=client).data.summary.total_reports > 0
senders = list_senders.sync(weak.id, client=client).data
approval = models.SenderUpdate(status=models.SenderStatus.APPROVED)
said["approved"] = update_sender.sync(weak.id, senders[0].id, client=client, body=approval).data.status
simulation = models.SimulationRequest(dmarc="v=DMARC1; p=reject")
said["simulated"] = simulate_records.sync(weak.id, client=client, body=simulation).data.summary.messages > 0
zone = get_fixes_as_zone.sync(weak.id, client=client)
said["zone"] = "IN" in zone
said["fixes"] = len(get_fixes.sync(weak.id, client=client).data.changes) > 0
preview = preview_checks.sync(weak.id, client=client, body=models.PreviewRequest(zone=zone)).data
said["preview"] = preview.score.score > preview.score_before

settings = models.NewNotificationSettings(mail=models.NewNotificationSettingsMailType0(address="a@example.org"), webhook=None)
said["mail"] = change_notifications.sync(client=client, body=settings).data.mail.address
alerts, page_token = [], UNSET
while True:
    found = list_alerts.sync(client=client, page_token=page_token, limit=5)
    alerts += [one.id for one in found.data]
    page_token = found.meta.pagination.next_page_token
    if isinstance(page_token, Unset):
        break
said["alerts"] = len(alerts) == len(set(alerts)) > 5

made = create_token.sync(client=client, body=models.NewToken(name="generated")).data
delete_token.sync(made.id, client=client)
names = models.CreateDomainsBody(
    domains=[models.NewDomain(domain=name, usage_type=models.UsageType.PARKED) for name in (domain, f"batch-{domain}")]
)
said["batch"] = [one.status for one in create_domains.sync(client=client, body=names).data]
print(json.dumps(said))
