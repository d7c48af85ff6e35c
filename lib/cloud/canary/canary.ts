/**
 * What a customer does, as a test of the deployed service: every run reads a domain through the API, and the first run of an hour
 * also sends a report mail to its mailbox, after it has found the report of the hour before.
 */
import * as z from 'zod/mini';

const HOUR_MILLISECONDS = 3_600_000;
const DAY_SECONDS = 86_400;
/** Runs are this far apart, so that one is the first of an hour. */
export const EVERY_MINUTES = 15;

interface CanarySettings {
  readonly apiUrl: string;
  /** A token with the scope `read` of the organization of the canary. */
  readonly token: string;
  /** The ID of its domain, which exists for the canary only. */
  readonly domainId: string;
}

interface CanaryPorts {
  readonly fetch: typeof fetch;
  readonly sendMail: (to: string, message: string) => Promise<void>;
  readonly now: Date;
}

const shownDomain = z.object({
  data: z.object({ domain: z.string(), reporting: z.object({ ruaAddress: z.string() }) }),
});
const shownReports = z.object({
  data: z.object({ reports: z.array(z.object({ reportId: z.string() })) }),
});

/** @throws Error that says what a customer could not do. */
export async function runCanary(
  { apiUrl, token, domainId }: CanarySettings,
  { fetch, sendMail, now }: CanaryPorts,
): Promise<void> {
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${apiUrl}/api/v1/domains/${domainId}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`the API answered ${response.status} to a read`);
    return response.json();
  };
  const { domain, reporting } = shownDomain.parse(await get('')).data;
  if (now.getUTCMinutes() >= EVERY_MINUTES) return;
  const hour = Math.floor(now.getTime() / HOUR_MILLISECONDS);
  const { reports } = shownReports.parse(await get('/reports/dmarc?limit=100')).data;
  // First the next mail, so that the run of the next hour has one to look for.
  await sendMail(reporting.ruaAddress.replace('mailto:', ''), reportMail(domain, hour));
  if (!reports.some(({ reportId }) => reportId === idOf(hour - 1)))
    throw new Error('the report mail of an hour ago did not become a report');
}

const idOf = (hour: number): string => `canary-${hour}`;

/** A message with a DMARC report (RFC 9990) about the day before, as an uncompressed attachment. */
function reportMail(domain: string, hour: number): string {
  const begin = (Math.floor((hour * 3600) / DAY_SECONDS) - 1) * DAY_SECONDS;
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <report_metadata><org_name>canary</org_name><email>canary@${domain}</email><report_id>${idOf(hour)}</report_id>
    <date_range><begin>${begin}</begin><end>${begin + DAY_SECONDS - 1}</end></date_range></report_metadata>
  <policy_published><domain>${domain}</domain><p>none</p></policy_published>
  <record>
    <row><source_ip>192.0.2.1</source_ip><count>1</count>
      <policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>pass</spf></policy_evaluated></row>
    <identifiers><header_from>${domain}</header_from></identifiers>
    <auth_results><spf><domain>${domain}</domain><result>pass</result></spf></auth_results>
  </record>
</feedback>`;
  return [
    `Subject: Report domain: ${domain} Submitter: canary Report-ID: ${idOf(hour)}`,
    'MIME-Version: 1.0',
    `Content-Type: text/xml; name="canary!${domain}!${begin}!${begin + DAY_SECONDS - 1}.xml"`,
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(xml)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');
}
