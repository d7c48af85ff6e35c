/**
 * API tokens: what they can do and from where, and what they wrote in the audit log. `test/functions/roles.test.ts` tries each scope
 * and organization on every endpoint.
 */
import { describe, expect, test } from '@jest/globals';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { useApi } from '../kit/use-service.ts';

const tokens = '/api/v1/tokens';
const uuid = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const create = (json: object, token?: string) =>
  api.call('POST', tokens, { json, ...(token !== undefined && { token }) });
const listed = async () => (await api.call('GET', `${tokens}?limit=100`)).body.data;

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0', RETENTION_DAYS: '1' });
const table = await serviceTable(service);
/** A token of another organization. */
const foreign = await foreignToken(table);
await table.stop();

describe('a token', () => {
  test('is shown once, with what it can do', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const json = { name: ' CI ', scope: 'write', expiresAt, networks: ['127.0.0.1/8', '::1'] };
    const { status, body } = await create(json);
    expect([status, body.data]).toEqual([
      201,
      {
        ...{ id: uuid, name: 'CI', scope: 'write', expiresAt, lastUsedOn: null },
        ...{ networks: ['127.0.0.0/8', '::1'], createdAt: expect.any(String), createdBy: uuid },
        token: expect.stringMatching(/^svc_[\w-]{43}$/),
      },
    ]);
    const { token, ...shown } = body.data;
    expect(await listed()).toContainEqual(shown);
    expect(JSON.stringify(await listed())).not.toContain(token);
    expect((await api.call('GET', '/api/v1/domains', { token })).status).toBe(200);
    expect((await listed()).find(({ id }: { id: string }) => id === shown.id).lastUsedOn).toBe(
      new Date().toISOString().slice(0, 10),
    );
  });

  test('works from the IPv4 addresses in the IPv4-mapped form of its networks', async () => {
    const networks = ['::ffff:127.0.0.1', '::ffff:127.0.0.0/104', '::1'];
    const { data } = (await create({ name: 'mapped', networks })).body;
    expect(data.networks).toEqual(['127.0.0.1', '127.0.0.0/8', '::1']);
    expect((await api.call('GET', '/api/v1/domains', { token: data.token })).status).toBe(200);
  });

  test('works only from its networks', async () => {
    const { token } = (await create({ name: 'elsewhere', networks: ['192.0.2.0/24'] })).body.data;
    const { status, body } = await api.call('GET', '/api/v1/domains', { token });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
  });

  test('stops working when it is deleted', async () => {
    const { id, token } = (await create({ name: 'short' })).body.data;
    expect((await api.call('DELETE', `${tokens}/${id}`, { token: foreign })).status).toBe(404);
    expect((await api.call('DELETE', `${tokens}/${id}`)).body).toEqual({ data: { deleted: true } });
    expect((await api.call('GET', '/api/v1/domains', { token })).status).toBe(401);
    expect((await api.call('DELETE', `${tokens}/${id}`)).status).toBe(404);
    expect((await listed()).map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('is deleted with what it created, if this is wanted', async () => {
    const json = (name: string) => ({ name, scope: 'admin' });
    const one = (await create(json('one'))).body.data;
    const two = (await create(json('two'), one.token)).body.data;
    expect(two.createdBy).toBe(one.id);
    const deleted = `${tokens}/${one.id}?created=revoke`;
    expect((await api.call('DELETE', deleted, { token: foreign })).status).toBe(404);
    expect((await api.call('DELETE', deleted)).body).toEqual({ data: { deleted: true } });
    for (const { token } of [one, two])
      expect((await api.call('GET', '/api/v1/domains', { token })).status).toBe(401);
  });

  test('cannot be created with more rights than those of the request', async () => {
    const limited = (await create({ name: 'limited', scope: 'admin', networks: ['127.0.0.0/8', '::1'] })).body
      .data.token;
    const { status, body } = await create({ name: 'wider', networks: [] }, limited);
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect((await create({ name: 'same' }, limited)).body.data.networks).toEqual(['127.0.0.0/8', '::1']);
  });
});

describe('the audit log', () => {
  test('has each write with its token, newest first, and no write of another organization', async () => {
    const { id: tokenId, token } = (await create({ name: 'writer', scope: 'write' })).body.data;
    const json = { domain: 'audited.example', usageType: 'parked' };
    const { id } = (await api.call('POST', '/api/v1/domains', { token, json })).body.data;
    await api.call('PATCH', `/api/v1/domains/${id}`, { token, json: { usageType: 'sends-only' } });
    await api.call('POST', '/api/v1/domains', { token, json });
    await api.call('GET', `/api/v1/domains/${id}`, { token });
    await api.call('DELETE', `/api/v1/domains/${id}`, { token });
    await create({ name: 'foreign two' }, foreign);
    const { body } = await api.call('GET', '/api/v1/audit?limit=4');
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const entry = (action: string) => ({
      ...{ id: uuid, at, action, token: tokenId, subject: id, name: 'audited.example' },
      ...{ clientAddress: '127.0.0.1', actor: 'writer', role: 'editor' },
      changes:
        action === 'updateDomain' ? [{ field: 'usageType', before: 'parked', after: 'sends-only' }] : [],
    });
    expect(body.data).toEqual([
      entry('deleteDomain'),
      entry('updateDomain'),
      entry('createDomain'),
      {
        ...{ id: uuid, at, action: 'createToken', token: uuid, subject: tokenId, name: 'writer' },
        ...{ clientAddress: '127.0.0.1', actor: 'created by npm start', role: 'admin' },
        changes: [
          { field: 'scope', before: null, after: 'write' },
          { field: 'networks', before: null, after: '[]' },
        ],
      },
    ]);
    expect(body.meta.pagination).toMatchObject({ page: 1, limit: 4, hasMore: true });
  });
});
