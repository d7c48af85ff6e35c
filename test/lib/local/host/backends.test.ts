import { readdirSync } from 'node:fs';
import { request as send } from 'node:http';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { BatchGetCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { type Running, startBackends } from '../../../../lib/local/host/backends.ts';
import type { StartInternet } from '../../../../lib/local/host/internet.ts';
import { readSettings } from '../../../../lib/local/host/settings.ts';
import { ensureTable } from '../../../../lib/local/host/tables.ts';
import { anyone } from '../../../kit/aws-client.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

const queues = ['q', 'near'].map((name) => ({ name, maxReceiveCount: 5, visibilityTimeoutSeconds: 60 }));

const running: Running[] = [];
const folder = useFolder('backends');
const settings = readSettings({ DATA_DIR: folder, MAIL_BUCKET: 'mail' });
const backends = await startBackends(settings, {}, { queues }, running);
atEnd(async () => {
  for (const part of running.toReversed()) await part.stop();
});

/** The configuration of an SDK client, as the handlers get it from the environment. */
const where = (key: string) => ({
  ...anyone(backends.environment[key] ?? ''),
  credentials: {
    accessKeyId: backends.environment.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: backends.environment.AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: backends.environment.AWS_SESSION_TOKEN ?? '',
  },
});

const mail = {
  FromEmailAddress: 'alerts@localhost',
  Destination: { ToAddresses: ['a@b.test'] },
  Content: {
    Simple: {
      Subject: { Data: 's', Charset: 'UTF-8' },
      Body: { Text: { Data: 't', Charset: 'UTF-8' }, Html: { Data: 'h', Charset: 'UTF-8' } },
    },
  },
};

test('the environment gives the SDK access to every store', async () => {
  const storage = where('AWS_ENDPOINT_URL');
  await ensureTable(new DynamoDBClient(where('AWS_ENDPOINT_URL_DYNAMODB')), 'another');
  await new S3Client(storage).send(new PutObjectCommand({ Bucket: 'mail', Key: 'k', Body: 'x' }));
  await new SQSClient(storage).send(
    new SendMessageCommand({ QueueUrl: backends.storage.queueUrl('q'), MessageBody: 'x' }),
  );
  await new SESv2Client(where('AWS_ENDPOINT_URL_SESV2')).send(new SendEmailCommand(mail));
  expect(readdirSync(join(folder, 'outbox'))).toHaveLength(1);
});

describe('a part of the internet', () => {
  const start = async (environment: () => Record<string, string>) => {
    const data = useFolder('backends');
    const settings = readSettings({ DATA_DIR: data, MAIL_BUCKET: 'mail' });
    const parts: Running[] = [];
    const calls: unknown[] = [];
    const internet: StartInternet = async (service) => {
      calls.push(service);
      return { environment, endpoints: () => ({}), stop: async () => void calls.push('stopped') };
    };
    const started = startBackends(settings, { DIAL_MAP: 'a' }, { queues, internet }, parts);
    const [outcome] = await Promise.allSettled([started]);
    for (const part of parts.toReversed()) await part.stop();
    expect(calls).toEqual([{ settings, given: { DIAL_MAP: 'a' }, folder: data }, 'stopped']);
    return outcome;
  };

  test('adds its settings to the environment', async () => {
    const outcome = await start(() => ({ DNS_SERVERS: '127.0.0.1:53' }));
    expect(outcome).toMatchObject({ value: { environment: { DNS_SERVERS: '127.0.0.1:53' } } });
  });

  test('is stopped, too, if its settings contradict the given ones', async () => {
    const outcome = await start(() => {
      throw new Error('EXTRA_CA_FILE cannot be read');
    });
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: 'EXTRA_CA_FILE cannot be read' },
    });
  });

  test('is not needed', () => {
    expect(backends.internet).toBeUndefined();
    expect(Object.keys(backends.environment)).not.toContain('DNS_SERVERS');
  });
});

describe('clients of the same process', () => {
  /** Without the session token, the endpoints would refuse requests over HTTP. */
  const near = (key: string) => ({ ...anyone(backends.environment[key] ?? ''), ...backends.access });

  test('reach the table', async () => {
    const client = new DynamoDBClient(near('AWS_ENDPOINT_URL_DYNAMODB'));
    await ensureTable(client, 'nearby');
    const Key = { pk: { S: 'p' }, sk: { S: 's' } };
    await client.send(new PutItemCommand({ TableName: 'nearby', Item: { ...Key, text: { S: 'ü' } } }));
    const { Item } = await client.send(new GetItemCommand({ TableName: 'nearby', Key }));
    expect(Item).toEqual({ ...Key, text: { S: 'ü' } });
  });

  test('send commands to the table without the SDK, unless they are refused', async () => {
    let sent = 0;
    const handle = (): never => {
      sent += 1;
      throw new Error('sent by the SDK');
    };
    const endpoint = near('AWS_ENDPOINT_URL_DYNAMODB');
    await ensureTable(new DynamoDBClient(endpoint), 'direct');
    const client = DynamoDBDocumentClient.from(
      new DynamoDBClient({ ...endpoint, requestHandler: { ...backends.access.requestHandler, handle } }),
    );
    backends.access.documents?.(client, endpoint.endpoint);
    const Item = { pk: 'p', sk: 's', list: [1, { octets: new Uint8Array([0, 255]) }], none: null };
    await client.send(new PutCommand({ TableName: 'direct', Item }));
    const { Responses } = await client.send(
      new BatchGetCommand({ RequestItems: { direct: { Keys: [{ pk: 'p', sk: 's' }] } } }),
    );
    expect(Responses).toEqual({ direct: [Item] });
    expect(sent).toBe(0);
    const missing = client.send(new PutCommand({ TableName: 'missing', Item }));
    await expect(missing).rejects.toThrow('sent by the SDK');
  });

  test('store objects without the SDK, or say why not', async () => {
    const { AWS_ENDPOINT_URL: before } = process.env;
    process.env.AWS_ENDPOINT_URL = backends.environment.AWS_ENDPOINT_URL ?? '';
    const { putObject } = backends.access;
    const content = Buffer.from([0, 255, 13, 10]);
    await putObject?.('mail', 'c d/ü', content.subarray(1));
    await expect(putObject?.('none', 'key', content)).rejects.toThrow('the object key was not stored: 404');
    if (before === undefined) delete process.env.AWS_ENDPOINT_URL;
    else process.env.AWS_ENDPOINT_URL = before;
    const client = new S3Client(near('AWS_ENDPOINT_URL'));
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'mail', Key: 'c d/ü' }));
    expect(await Body?.transformToByteArray()).toEqual(new Uint8Array([255, 13, 10]));
  });

  test('reach objects, byte for byte', async () => {
    const client = new S3Client(near('AWS_ENDPOINT_URL'));
    const Body = Buffer.from([0, 255, 13, 10]);
    await client.send(new PutObjectCommand({ Bucket: 'mail', Key: 'a b/ü', Body }));
    const found = await client.send(new GetObjectCommand({ Bucket: 'mail', Key: 'a b/ü' }));
    expect(Buffer.from((await found.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    const missing = client.send(new GetObjectCommand({ Bucket: 'mail', Key: 'none' }));
    await expect(missing).rejects.toThrow(NoSuchKey);
  });

  test('reach queues, and end a long poll', async () => {
    const client = new SQSClient(near('AWS_ENDPOINT_URL'));
    const QueueUrl = backends.storage.queueUrl('near');
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
    expect((await client.send(receive)).Messages).toMatchObject([{ Body: 'x' }]);
    const ending = new AbortController();
    const waiting = client.send(receive, { abortSignal: ending.signal });
    ending.abort();
    expect((await waiting).Messages).toBeUndefined();
  });

  test('reach nothing else', async () => {
    const client = new S3Client({ ...near('AWS_ENDPOINT_URL'), endpoint: 'http://127.0.0.1:1' });
    const sent = client.send(new GetObjectCommand({ Bucket: 'mail', Key: 'k' }));
    await expect(sent).rejects.toThrow('no embedded endpoint: 127.0.0.1:1');
  });
});

describe.each(['', '_DYNAMODB', '_SESV2', '_KMS'].map((service) => `AWS_ENDPOINT_URL${service}`))(
  '%s',
  (key) => {
    /** Returns the status of a request with these headers. The stores send 403 only for denied requests. */
    const answered = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = send(backends.environment[key] ?? '', { method: 'POST', headers }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode));
        });
        request.once('error', reject).end('{}');
      });
    const signed = {
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request',
    };
    const token = () => ({ 'x-amz-security-token': backends.environment.AWS_SESSION_TOKEN ?? '' });

    test('accepts requests with the session token', async () => {
      expect(await answered({ ...signed, ...token() })).not.toBe(403);
    });

    test('denies all other requests, and those of web pages', async () => {
      const refused = [
        {},
        signed,
        { ...signed, 'x-amz-security-token': '' },
        { ...signed, 'x-amz-security-token': 'undefined' },
        { ...signed, 'x-amz-security-token': 'x'.repeat(token()['x-amz-security-token'].length) },
        { ...signed, ...token(), origin: 'http://localhost:3000' },
        { ...signed, ...token(), origin: 'null' },
        { ...signed, ...token(), host: 'rebound.example' },
        { ...signed, ...token(), 'x-forwarded-for': '127.0.0.1' },
        { ...signed, ...token(), forwarded: 'for=127.0.0.1' },
        { ...signed, ...token(), via: '1.1 proxy' },
      ];
      for (const headers of refused) expect([headers, await answered(headers)]).toEqual([headers, 403]);
    });
  },
);

test('the session token is different at each start', async () => {
  const others: Running[] = [];
  const settings = readSettings({ DATA_DIR: join(folder, 'another'), MAIL_BUCKET: 'mail' });
  const again = await startBackends(settings, {}, { queues: [] }, others);
  for (const part of others.toReversed()) await part.stop();
  expect(again.sessionToken).not.toBe(backends.sessionToken);
  expect(again.sessionToken.length).toBeGreaterThanOrEqual(43);
});
