/** What a user of the generated types writes. */
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

declare const process: { readonly argv: readonly string[] };

const [, , baseUrl = '', token = '', domain = ''] = process.argv;
const options = { baseUrl, headers: { authorization: `Bearer ${token}` } };
const client = createClient<paths, 'application/json'>(options);
const texts = createClient<paths>(options);
const said: Record<string, unknown> = {};

/** The content of a successful response. */
async function contentOf<Data>(answer: Promise<{ data?: Data; error?: { message: string } }>): Promise<Data> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(error?.message);
  return data;
}

const body = { domain, usageType: 'parked' } as const;
const created = (await contentOf(client.POST('/api/v1/domains', { body }))).data;
const own = { params: { path: { id: created.id } } };
const { verificationRecord } = (await contentOf(client.GET('/api/v1/domains/{id}/verify', own))).data;
const record = { name: verificationRecord.hostname, type: 'TXT', value: verificationRecord.value };
await fetch(`${baseUrl}/example-internet/records`, {
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(record),
});
said.verified = (await contentOf(client.POST('/api/v1/domains/{id}/verify', own))).data.verified;
const { results } = (await contentOf(client.POST('/api/v1/domains/{id}/checks', own))).data;
said.checked = results.dmarc.state;
said.score = (await contentOf(client.GET('/api/v1/domains/{id}/score', own))).data.score !== null;

const { data: domains } = await contentOf(
  client.GET('/api/v1/domains', { params: { query: { limit: 100 } } }),
);
const found = domains.find((one) => one.domain === 'weak.test');
if (found === undefined) throw new Error('weak.test is not there');
const weak = { params: { path: { id: found.id } } };
const { summary } = (await contentOf(client.GET('/api/v1/domains/{id}/reports/dmarc', weak))).data;
said.reports = summary.totalReports > 0;
const [sender] = (await contentOf(client.GET('/api/v1/domains/{id}/senders', weak))).data;
if (sender === undefined) throw new Error('weak.test has no sender');
const ofSender = { params: { path: { id: found.id, senderId: sender.id } } };
const approval = { ...ofSender, body: { status: 'approved' } } as const;
said.approved = (
  await contentOf(client.PATCH('/api/v1/domains/{id}/senders/{senderId}', approval))
).data.status;
const rejecting = { ...weak, body: { dmarc: 'v=DMARC1; p=reject' } };
const simulated = (await contentOf(client.POST('/api/v1/domains/{id}/simulations', rejecting))).data;
said.simulated = simulated.summary.messages > 0;
const asText = { ...weak, parseAs: 'text' } as const;
const zone = await contentOf(texts.GET('/api/v1/domains/{id}/fixes.zone', asText));
said.zone = zone.includes('IN');
said.fixes = (await contentOf(client.GET('/api/v1/domains/{id}/fixes', weak))).data.changes.length > 0;
const previewed = { ...weak, body: { zone } };
const preview = (await contentOf(client.POST('/api/v1/domains/{id}/checks/preview', previewed))).data;
said.preview = (preview.score.score ?? 0) > (preview.scoreBefore ?? 100);

const settings = { mail: { address: 'a@example.org' }, webhook: null };
said.mail = (await contentOf(client.PUT('/api/v1/notifications', { body: settings }))).data.mail?.address;
const seen: string[] = [];
for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
  const query = { limit: 5, ...(pageToken !== '' && { pageToken }) };
  const page: { data: { id: string }[]; meta: { pagination: { nextPageToken?: string } } } = await contentOf(
    client.GET('/api/v1/alerts', { params: { query } }),
  );
  seen.push(...page.data.map(({ id }) => id));
  pageToken = page.meta.pagination.nextPageToken;
}
said.alerts = new Set(seen).size === seen.length && seen.length > 5;

const made = (await contentOf(client.POST('/api/v1/tokens', { body: { name: 'generated' } }))).data;
await contentOf(client.DELETE('/api/v1/tokens/{id}', { params: { path: { id: made.id } } }));
const names = { domains: [body, { domain: `batch-${domain}`, usageType: 'parked' as const }] };
const outcomes = (await contentOf(client.POST('/api/v1/domains/batch', { body: names }))).data;
said.batch = outcomes.map(({ status }) => status);
// biome-ignore lint/suspicious/noConsole: the test reads it
console.log(JSON.stringify(said));

type Alert = components['schemas']['Alert'];
export const dropOf = (alert: Alert): number =>
  alert.type === 'score_change' ? alert.metadata.previousScore - alert.metadata.newScore : 0;
// @ts-expect-error The facts of an alert depend on its type.
export const wrong = (alert: Alert) => alert.type === 'new_report' && alert.metadata.newScore;
type Outcome = components['schemas']['BatchOutcome'];
export const registered = (outcome: Outcome): string | undefined =>
  outcome.outcome === 'registered' ? outcome.domain.id : undefined;
// @ts-expect-error A refused domain has no ID.
export const refused = (outcome: Outcome) => outcome.outcome === 'refused' && outcome.domain.id;
