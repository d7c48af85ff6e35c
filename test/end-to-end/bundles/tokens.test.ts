/** Which functions reach API tokens and secrets, with the policies of the templates. */

import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { readSettings } from '../../../lib/local/host/settings.ts';
import { ensureTable } from '../../../lib/local/host/tables.ts';
import { startDynamoDb } from '../../../lib/local/stores/dynamodb/endpoint.ts';
import { startKms } from '../../../lib/local/stores/kms/endpoint.ts';
import { KEY_FILE } from '../../../lib/local/stores/kms/key-file.ts';
import { SIGNING_KEY_FILE } from '../../../lib/local/stores/kms/signing-key.ts';
import type { Route } from '../../../shared/runtime/http/route.ts';
import { domainKey, organizationTokenKey, secretKey, tokenKey } from '../../../shared/store/keys.ts';
import { kmsCipher } from '../../../shared/store/kms-cipher.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { readCloudAssembly } from '../../kit/assembly/cloud-assembly.ts';
import { nameOf } from '../../kit/assembly/counterparts.ts';
import { assemblyPlan } from '../../kit/assembly/plan.ts';
import { servedFrom } from '../../kit/service.ts';
import { atEnd, use, useFolder } from '../../kit/use.ts';

const anyItem = z.looseObject({});

const settings = readSettings(servedFrom());
const { CLOUD_ASSEMBLY = '' } = servedFrom();
const functions = readCloudAssembly(CLOUD_ASSEMBLY).all('AWS::Lambda::Function');

const clients: { destroy(): void }[] = [];

atEnd(() => {
  for (const client of clients) client.destroy();
});

const guardOf = <T>(guard: T | undefined) => (guard === undefined ? {} : { guard });

function clientOf(accessKeyId: string): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: database.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey: 'local' },
  });
  clients.push(client);
  return client;
}

const tableOf = (accessKeyId: string): Table => openTable(settings.TABLE_NAME, clientOf(accessKeyId));

/** The access key of the function with this description. */
function keyOf(summary: string): string {
  const made = functions.find(({ properties }) => properties.Description === summary);
  if (made === undefined) throw new Error(`no function: ${summary}`);
  return nameOf(made);
}

/** The table as the function with this description reaches it. */
const tableFor = (summary: string): Table => tableOf(keyOf(summary));

/** The key of secrets as that function reaches it. */
function cipherFor(summary: string) {
  const credentials = { accessKeyId: keyOf(summary), secretAccessKey: 'local' };
  const client = new KMSClient({ endpoint: kms.endpoint, region: 'us-east-1', credentials });
  clients.push(client);
  return kmsCipher('key', client);
}

const stored = { ...tokenKey('hash'), hash: 'hash', organization: 'org' };

const guard = guardOf(assemblyPlan(CLOUD_ASSEMBLY, {}).guard?.(settings));
const database = await use(startDynamoDb({ path: ':memory:', ...guard }));
const folder = useFolder('kms');
const kms = await use(
  startKms({
    ...{ keyFile: join(folder, KEY_FILE), signingKeyFile: join(folder, SIGNING_KEY_FILE), ...guard },
  }),
);
await ensureTable(clientOf('local'), settings.TABLE_NAME);
await tableOf('local').put(stored, {});

const forged = { ...tokenKey('forged'), hash: 'forged', organization: 'org' };
const rows: readonly (Pick<Route, 'name' | 'summary'> & Partial<Route>)[] = [
  ...Object.values(routes),
  ...Object.values(triggers),
];

/** The functions that can write tokens, and read more than those whose hash they know. */
const manages = ({ uses = [] }: Partial<Route>) => uses.includes('tokens:write');

describe('a token', () => {
  test('can be written by functions that issue and revoke tokens, and change members', () => {
    expect(rows.filter(manages).map(({ name }) => name)).toEqual([
      'createToken',
      'deleteToken',
      'updateMember',
      'removeMember',
      'finishProviderSignIn',
      'createTokenInConsole',
      'revokeTokenInConsole',
      'changeRoleInConsole',
      'removeMemberInConsole',
      'leaveInConsole',
    ]);
  });

  test.each(rows.filter((row) => !manages(row)))('cannot be written by $name', async ({ summary }) => {
    const table = tableFor(summary);
    const attempts = [
      table.put(forged, {}),
      table.update(tokenKey('hash'), {
        UpdateExpression: 'SET organization = :other',
        ExpressionAttributeValues: { ':other': 'other' },
      }),
      table.transact([{ Put: { Item: { ...domainKey('org', 'id') } } }, { Put: { Item: forged } }]),
      table.delete(tokenKey('hash')),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toThrow('is not authorized to perform');
    expect(await tableOf('local').get(tokenKey('hash'), anyItem)).toMatchObject({ organization: 'org' });
  });

  test.each(rows.filter((row) => !manages(row)))(
    'can be read by $name only to authenticate a request',
    async ({ name, summary, access = 'public' }) => {
      const table = tableFor(summary);
      const read = table.get(tokenKey('hash'), anyItem);
      const authenticates = access !== 'public' || name === 'signIn';
      if (authenticates) expect(await read).toMatchObject({ organization: 'org' });
      else await expect(read).rejects.toThrow('is not authorized to perform: dynamodb:GetItem');
      await expect(
        table.query(
          {
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': tokenKey('hash').pk },
          },
          anyItem,
        ),
      ).rejects.toThrow('is not authorized to perform: dynamodb:Query');
    },
  );

  test('is not what keeps a function from writing', async () => {
    const table = tableFor(routes.createDomain.summary);
    expect(await table.put({ ...domainKey('org', 'id'), id: 'id' }, {})).toBe(true);
    expect(await table.get(organizationTokenKey('org', 'hash'), anyItem)).toBeUndefined();
  });
});

describe('a secret of an organization', () => {
  const context = { organization: 'org', purpose: 'webhook' } as const;
  const reaches = ({ uses = [] }: Partial<Route>) => uses.some((use) => use.startsWith('secrets:'));

  test('is reached by functions that change notification settings or deliver', () => {
    expect(rows.filter(reaches).map(({ name }) => name)).toEqual([
      'changeNotifications',
      'saveNotifications',
      'deliverNotification',
    ]);
  });

  test.each(rows.filter((row) => !reaches(row)))(
    'is neither read nor decrypted by $name',
    async ({ summary }) => {
      const denied = 'is not authorized to perform';
      await expect(tableFor(summary).get(secretKey(context), anyItem)).rejects.toThrow(denied);
      const cipher = cipherFor(summary);
      await expect(cipher.decrypt(Buffer.from('x'), context)).rejects.toThrow(denied);
      await expect(cipher.encrypt(Buffer.from('x'), context)).rejects.toThrow(denied);
    },
  );
});
