/** The change batch of recommended changes, sent to an emulated Route 53 with the SDK. */
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeBatch } from '../../../shared/fixes/formats.ts';
import { describeWith } from '../../kit/describe-with.ts';
import { type Emulator, missingForEmulator, REGION, startEmulator } from './emulator.ts';

describeWith(await missingForEmulator(), 'Route 53', () => {
  let emulator: Emulator;
  let client: Route53Client;

  beforeAll(async () => {
    emulator = await startEmulator('alerts@alerts.example.org');
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new Route53Client({ endpoint: emulator.url, region: REGION, credentials });
  });
  afterAll(async () => {
    client?.destroy();
    await emulator?.stop();
  });

  test('accepts the change batch of recommended changes, and has their records', async () => {
    const created = await client.send(
      new CreateHostedZoneCommand({ Name: 'watched.test', CallerReference: 'fixes' }),
    );
    const HostedZoneId = created.HostedZone?.Id ?? '';
    const batch = changeBatch([
      { name: 'watched.test', type: 'MX', ttl: 3600, values: ['0 .'] },
      { name: 'watched.test', type: 'TXT', ttl: 3600, values: ['v=spf1 -all', 'a "quoted" \\ value'] },
      { name: '_dmarc.watched.test', type: 'TXT', ttl: 3600, values: ['v=DMARC1; p=reject'] },
    ]);
    await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch: batch }));
    const { ResourceRecordSets = [] } = await client.send(
      new ListResourceRecordSetsCommand({ HostedZoneId }),
    );
    for (const { ResourceRecordSet } of batch.Changes ?? [])
      expect(ResourceRecordSets).toContainEqual(expect.objectContaining(ResourceRecordSet));
  });
});
