/** A token of another organization, on every endpoint. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { validToken } from '../../shared/store/api-tokens.ts';
import type { DomainReference } from '../../shared/store/domains/domain.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { reportAlertDraft } from '../kit/alerts.ts';
import { raiseAlert } from '../kit/alongside.ts';
import type { CallOptions } from '../kit/api-client.ts';
import { openItem } from '../kit/attention.ts';
import { join } from '../kit/members.ts';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const unknownId = '018f0000-0000-7000-8000-000000000000';

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0', RETENTION_DAYS: '1' });
const table = await use(serviceTable(service));
/** A token of another organization. */
const foreign = await foreignToken(table);

describe('a token of another organization', () => {
  const rows = Object.values<Route>(routes).filter(({ access }) => access === 'token');
  /** What the organization has, by the path of its collection. */
  const own = new Map<string, string>();
  let examples: (route: Route) => unknown;

  beforeAll(async () => {
    const { body: document } = await api.call('GET', '/api/openapi.json');
    examples = ({ method, path }) =>
      document.paths[path][method.toLowerCase()].requestBody?.content['application/json'].example;
    const json = { mail: { address: 'ops@own.example' }, webhook: null };
    await api.call('PUT', '/api/v1/notifications', { json });
    const test = await api.call('POST', '/api/v1/notifications/test', { json: {} });
    own.set('deliveries', test.body.data[0].id);
    own.set('tokens', (await api.call('POST', '/api/v1/tokens', { json: { name: 'own' } })).body.data.id);
    own.set('domains', await register());
    const { organization } = await ownDomain('');
    own.set('members', (await join(table, organization, 'own', 'read', new Date())).id);
    const given = { organization, mail: 'jo@own.example', scope: 'read', by: null } as const;
    const { invitation } = await invitationStore(table).create(given, new Date());
    own.set('invitations', invitation.id);
    own.set('alerts', await alertAbout(own.get('domains') ?? ''));
    own.set('attention', await attentionTo(own.get('domains') ?? ''));
  });

  /** What a request has to say in its query. */
  const queryOf = (path: string): string => (path.endsWith('/compliance') ? '?profile=bod-18-01' : '');

  test.each(rows.filter(({ method, path }) => method === 'GET' && !path.includes('{')))(
    'sees nothing in $name',
    async ({ path }) => {
      const marks = [...own.values(), 'own.example'];
      const seen = async (options: CallOptions) => {
        const text = JSON.stringify((await api.call('GET', `${path}${queryOf(path)}`, options)).body);
        return marks.filter((mark) => text.includes(mark));
      };
      expect(await seen({ token: foreign })).toEqual([]);
      const id = own.get(path.replace('/api/v1/', ''));
      expect(await seen({})).toEqual(id === undefined ? expect.anything() : expect.arrayContaining([id]));
    },
  );

  test('counts nothing of others in the summary', async () => {
    const counts = async (options: CallOptions) => {
      const { data } = (await api.call('GET', '/api/v1/summary', options)).body;
      const { domains, domainsDue, unreadAlerts, dmarc } = data;
      return [domains.total, domains.withoutGrade, domainsDue.count, unreadAlerts, dmarc.messages];
    };
    expect(await counts({})).toEqual([1, 1, 0, { count: 1, hasMore: false }, 0]);
    expect(await counts({ token: foreign })).toEqual([0, 0, 0, { count: 0, hasMore: false }, 0]);
  });

  // A mailbox needs a server: see mailboxes.long.test.ts.
  const ofOwn = rows.filter(({ path }) => path.includes('/{id}') && !path.includes('/mailboxes/'));

  test.each(ofOwn)('gets 404 from $name', async (route) => {
    const { method, path } = route;
    const [, collection = ''] = /^\/api\/v1\/(\w+)/.exec(path) ?? [];
    // One of the requests deletes its domain.
    const id = collection === 'domains' ? await register() : own.get(collection);
    const url = path
      .replace('{id}', id ?? '')
      .replace('{mailId}', '1767603600000-unknown')
      .replace(/\{\w+\}/, unknownId);
    const json = examples(route);
    const asked = `${url}${queryOf(path)}`;
    const foreignAnswer = await api.call(method, asked, { token: foreign, json });
    expect([foreignAnswer.status, foreignAnswer.body.error.code]).toEqual([404, 'not_found']);
    const { body } = await api.call(method, asked, { json });
    expect(body.message).not.toBe(foreignAnswer.body.message);
  });

  async function register(): Promise<string> {
    const json = { domain: `d${crypto.randomUUID()}.test`, usageType: 'parked' };
    return (await api.call('POST', '/api/v1/domains', { json })).body.data.id;
  }

  async function alertAbout(id: string): Promise<string> {
    const alerts = alertStore(table, { retentionDays: 1 });
    await raiseAlert({ table, alerts }, await ownDomain(id), reportAlertDraft('own'), new Date());
    return (await api.call('GET', '/api/v1/alerts')).body.data[0].id;
  }

  async function attentionTo(id: string): Promise<string> {
    const since = new Date().toISOString();
    await openItem(table, await ownDomain(id), 'ownership-unproven', since);
    return (await api.call('GET', '/api/v1/attention')).body.data[0].id;
  }

  async function ownDomain(id: string): Promise<DomainReference> {
    const { organization = '' } = (await validToken(table, service.token, new Date())) ?? {};
    return { id, organization, domain: 'own.example' };
  }
});
