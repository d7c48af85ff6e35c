/** The table of a running service, through a second connection to its file, as the admin commands open it. */
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readSettings } from '../../lib/local/host/settings.ts';
import { startDynamoDb } from '../../lib/local/stores/dynamodb/endpoint.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { anyone } from './aws-client.ts';
import { type BootedService, servedFrom } from './service.ts';

export interface ServiceTable extends Table {
  stop(): Promise<void>;
}

/** A token of another organization, which is made for it. */
export async function foreignToken(table: Table): Promise<string> {
  const organizations = organizationStore(table);
  const { id } = await organizations.create('Another', new Date());
  return (await organizations.createToken(id, { name: 'foreign', label: 'svc' }, new Date())).token;
}

/** A domain of the organization that a service begins with, as it is stored. */
export async function storedDomain(table: Table, id: string): Promise<Domain> {
  const domain = await domainStore(table).get('default', id);
  if (domain === undefined) throw new Error('the domain is not in the table');
  return domain;
}

export async function serviceTable({ dataDir }: BootedService): Promise<ServiceTable> {
  const database = await startDynamoDb({ path: join(dataDir, 'table.sqlite') });
  const client = new DynamoDBClient({ ...anyone(database.endpoint), maxAttempts: 3 });
  return {
    ...openTable(readSettings(servedFrom()).TABLE_NAME, client),
    async stop() {
      client.destroy();
      await database.stop();
    },
  };
}
