/** Attention items that are put off, of a domain and of an organization, on a real table. */
import { expect, test } from '@jest/globals';
import { putOff } from '../../../../shared/operations/attention/put-off.ts';
import { attentionStore } from '../../../../shared/store/attention.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { changesOn, openItem } from '../../../kit/attention.ts';
import { callerWith, done } from '../../../kit/operations.ts';
import { registeredDomain } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00.000Z');
const table = await useTable({ now: () => now });
const domain = await registeredDomain(table);
const { organization } = domain;
const { info } = await organizationStore(table).createToken(organization, { name: 'me', label: 'svc' }, now);
await openItem(table, domain, 'expiring', now.toISOString());
const failing = { channel: 'webhook', kind: 'channel-failing' } as const;
await changesOn(table).openChannel(organization, failing, { since: now.toISOString() }, now);

const attention = attentionStore(table);
const ask = (id: string, until: string | null, changes: Partial<typeof attention> = {}, isCurrent = true) =>
  putOff(
    { ...callerWith(info), isCurrent: () => isCurrent },
    { id, until, note: 'soon' },
    { domains: domainStore(table), attention: { ...attention, ...changes }, clock: { now: () => now } },
  );
const ofDomain = `${domain.id}.expiring`;

test.each([
  ['of a domain', ofDomain],
  ['of an organization', 'webhook.channel-failing'],
])('an item %s is put off until a day of the next year, and shown again', async (_what, id) => {
  expect(done(await ask(id, '2026-03-02'))).toMatchObject({ putOffUntil: '2026-03-02', note: 'soon' });
  expect(done(await ask(id, '2027-03-02'))).toMatchObject({ putOffUntil: '2027-03-02' });
  for (const day of ['2026-03-01', '2027-03-03'])
    expect(await ask(id, day)).toMatchObject({ code: 'invalid_request' });
  expect(done(await ask(id, null))).toMatchObject({ putOffUntil: null });
});

test('an item that changes while it is put off is read again', async () => {
  let writes = 0;
  const putOff: typeof attention.putOff = (...args) => {
    writes += 1;
    return writes === 1 ? Promise.resolve(undefined) : attention.putOff(...args);
  };
  expect(done(await ask(ofDomain, '2026-03-02', { putOff }))).toMatchObject({ putOffUntil: '2026-03-02' });
  expect(writes).toBe(2);
});

test.each([
  ['has another version', ofDomain, false, 'precondition_failed'],
  ['is not open', `${domain.id}.check-failing`, true, 'not_found'],
  ['is of no kind', `${domain.id}.none`, true, 'not_found'],
])('an item that %s is not put off', async (_what, id, isCurrent, code) => {
  expect(await ask(id, '2026-03-02', {}, isCurrent)).toMatchObject({ code });
});
