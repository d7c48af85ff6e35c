/** The settings page of the console: what it shows to which scope, and what its forms do. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { operatorFor } from '../../shared/operations/operation.ts';
import { settingsPage } from '../../shared/pages/console/settings.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import type { Scope, TokenInfo } from '../../shared/store/api-tokens.ts';
import { auditStore, recordAudit } from '../../shared/store/audit.ts';
import type { Flash } from '../../shared/store/flashes.ts';
import { memberStore } from '../../shared/store/members.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { personStore } from '../../shared/store/people.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { settingsFor } from '../../shared/views/settings.ts';
import { testCipher } from '../kit/cipher.ts';
import { done } from '../kit/operations.ts';
import { useTable } from '../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00Z');
const WEBHOOK = 'https://hooks.example.org/secret-path';
const HOSTILE = '"><script>alert(1)</script>\u202e';

const table = await useTable({ now: () => now });
let organization: string;
let own: TokenInfo;

beforeEach(async () => {
  const organizations = organizationStore(table);
  organization = (await organizations.create('Org', now)).id;
  own = (await organizations.createToken(organization, { name: 'mine', label: 'svc', scope: 'admin' }, now))
    .info;
});

const dependencies = () => ({
  organizations: organizationStore(table),
  notifications: channelStore(table, testCipher),
  audit: auditStore(table),
  sessions: sessionStore(table),
  members: memberStore(table),
  people: personStore(table),
  hasPeople: false,
  defaults: { scoreThreshold: 70, domains: 100, retentionDays: 400 },
  mailTransport: 'Mail is sent from alerts@acme.org through the relay relay.acme.org:465.',
  clock: { now: () => now },
});

const times = {
  startedAt: now.toISOString(),
  lastUsedAt: now.toISOString(),
  authenticatedAt: now.toISOString(),
};
const requestAs = (scope: Scope) => ({
  organization,
  token: { ...own, scope },
  session: {
    ...{ id: `${own.id}#hash`, tokenId: own.id, tokenHash: own.hash, client: '', ...times },
    until: now.toISOString(),
  },
  formToken: 'form-token',
});
const pageFor = async (scope: Scope, flash?: Flash, of = organization) => {
  const { formToken, ...viewer } = requestAs(scope);
  const settings = await settingsFor({ ...viewer, organization: of }, 1, dependencies());
  return settingsPage({ ...settings, formToken, flash });
};

/** Writes to the audit log that somebody created a domain with a name. */
const audit = (name: string) => {
  const entry = { at: now.toISOString(), action: 'createDomain', token: own.id, subject: null, name };
  return recordAudit(table, organization, [{ ...entry, clientAddress: '192.0.2.1' }], 0);
};

const changing = () => ({
  notifications: channelStore(table, testCipher),
  ownDomains: [],
  allowPrivateAddresses: false,
});
const setWebhook = async () =>
  done(
    await changeNotifications(
      operatorFor(organization),
      {
        mail: { address: 'ops@example.org', threshold: 'warning', digestHour: null },
        webhook: { url: WEBHOOK, threshold: 'info', format: 'slack', events: ['report.received'] },
      },
      changing(),
    ),
  );

describe('the page', () => {
  test('shows everything to the scope admin, but no secret', async () => {
    const { newSecret } = await setWebhook();
    await audit('audited.example');
    const page = await pageFor('admin');
    for (const shown of ['https://hooks.example.org', 'ops@example.org', 'mine', 'audited.example'])
      expect(page).toContain(shown);
    for (const secret of ['secret-path', String(newSecret), own.hash]) expect(page).not.toContain(secret);
  });

  test('shows the scope write the notifications, and neither tokens nor the audit log', async () => {
    await setWebhook();
    const page = await pageFor('write');
    expect(page).toContain('value="https://hooks.example.org"');
    expect(page).not.toContain('secret-path');
    expect(page).toContain('Save notifications');
    expect(page).not.toContain('mine');
    expect(page).not.toContain('/settings/tokens');
  });

  test('shows the scope read no form and no path of the webhook', async () => {
    await setWebhook();
    const page = await pageFor('read');
    expect(page).toContain('https://hooks.example.org');
    expect(page).not.toContain('secret-path');
    expect(page.match(/action="\/console\/settings[^"]*/g)).toEqual(['action="/console/settings/sessions']);
  });

  test('shows nothing of another organization', async () => {
    await setWebhook();
    const { id } = await organizationStore(table).create('Other', now);
    const page = await pageFor('admin', undefined, id);
    expect(page).not.toContain('ops@example.org');
    expect(page).not.toContain('mine');
  });

  test('escapes names of tokens, subjects of the audit log and what a form did', async () => {
    await organizationStore(table).createToken(organization, { name: HOSTILE, label: 'svc' }, now);
    await audit(HOSTILE);
    const page = await pageFor('admin', {
      ...{ kind: 'refused', form: 'createTokenInConsole', action: '/console/settings/tokens' },
      ...{ says: HOSTILE, problems: [{ path: 'name', message: HOSTILE }] },
      typed: { name: '"><script>alert(1)</script>' },
    });
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('\u202e');
  });

  test('stays under 100 kB with the most tokens, and a session of each', async () => {
    for (let n = 1; n < 100; n += 1) {
      const name = `${n} ${'x'.repeat(190)}`;
      const { info } = await organizationStore(table).createToken(organization, { name, label: 'svc' }, now);
      await sessionStore(table).start(info, 'x'.repeat(200), now);
    }
    expect(Buffer.byteLength(await pageFor('admin'))).toBeLessThan(100_000);
  });
});
