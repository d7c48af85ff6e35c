/** Creates a token that can only read, uses it, and revokes it. */
import * as z from 'zod/mini';
import { auditEntry } from '../../../shared/api/audit.ts';
import { deleted } from '../../../shared/api/domains.ts';
import { createdToken, token } from '../../../shared/api/tokens.ts';
import type { Client } from './client.ts';
import { data, errorBody, expectThat, type Scenario } from './scenario.ts';

const tokens = '/api/v1/tokens';

/** @param name Unique, to find the token again. */
export function tokenScenario(api: Client, name: string): Scenario {
  let created: z.output<typeof createdToken> | undefined;
  const own = () => ({ token: created?.token ?? null });
  const list = async () => (await api.read(data(z.array(token)), 'GET', `${tokens}?limit=100`, 200)).data;
  const remove = () => api.read(data(deleted), 'DELETE', `${tokens}/${created?.id}`, 200);
  return {
    steps: {
      'a token that can only read can be created': async () => {
        const json = { name, scope: 'read' };
        created = (await api.read(data(createdToken), 'POST', tokens, 201, { json })).data;
      },
      'it can read, and neither write nor manage tokens': async () => {
        await api.request('GET', '/api/v1/domains', 200, own());
        const json = { domains: [] };
        await api.read(errorBody('forbidden'), 'POST', '/api/v1/domains/batch', 403, { json, ...own() });
        await api.read(errorBody('forbidden'), 'GET', tokens, 403, own());
      },
      'it is listed with the day of its last use': async () => {
        const lastUse = (await list()).find(({ id }) => id === created?.id)?.lastUsedOn;
        expectThat(typeof lastUse === 'string', `its last use is ${lastUse}`);
      },
      'its creation is in the audit log': async () => {
        const log = await api.read(data(z.array(auditEntry)), 'GET', '/api/v1/audit?limit=100', 200);
        const isFound = log.data.some(
          ({ action, subject }) => action === 'createToken' && subject === created?.id,
        );
        expectThat(isFound, 'the audit log does not contain it');
      },
      'it can be deleted, and then no longer works': async () => {
        await remove();
        await api.read(errorBody('unauthorized'), 'GET', '/api/v1/domains', 401, own());
      },
    },
    cleanUp: {
      'the token is cleaned up': async () => {
        // Its creation may have succeeded although the response was invalid.
        const left = (await list()).find((one) => one.name === name);
        if (left !== undefined) await api.request('DELETE', `${tokens}/${left.id}`, 200);
      },
    },
  };
}
