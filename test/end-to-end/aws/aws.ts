/** What a test does with an emulated AWS account as its administrator, beyond what the CDK does. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateReceiptRuleSetCommand,
  DescribeActiveReceiptRuleSetCommand,
  SESClient,
  SetActiveReceiptRuleSetCommand,
} from '@aws-sdk/client-ses';
import { ACCOUNT, type Emulator, REGION } from './emulator.ts';

interface SentMail {
  readonly Source: string;
  readonly To: readonly string[];
  readonly Subject: string;
  readonly BodyText: string;
}

interface DeployedFunction {
  readonly FunctionName: string;
  readonly Description: string;
  readonly Role: string;
}

export type AwsAccount = ReturnType<typeof awsAccount>;

export function awsAccount({ url }: Emulator) {
  const client = {
    endpoint: url,
    region: REGION,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const s3 = new S3Client({ ...client, forcePathStyle: true });
  const ses = new SESClient(client);
  const cloudFormation = new CloudFormationClient(client);

  async function send(service: string, path: string, init: RequestInit = {}): Promise<Response> {
    // The emulator does not verify the signature of the account's root user.
    const scope = `Credential=test/20260101/${REGION}/${service}/aws4_request`;
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=0` },
    });
    if (!response.ok) throw new Error(`${service}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Calls an API that has no SDK client here. */
  const query = (service: string, parameters: Readonly<Record<string, string>>) =>
    send(service, '/', { method: 'POST', body: new URLSearchParams(parameters) });

  async function functionWith(summary: string): Promise<DeployedFunction> {
    const response = await send('lambda', '/2015-03-31/functions/?MaxItems=1000');
    const { Functions }: { Functions: DeployedFunction[] } = JSON.parse(await response.text());
    const found = Functions.find(({ Description }) => Description === summary);
    if (found === undefined) throw new Error(`no function with the description "${summary}"`);
    return found;
  }

  return {
    /**
     * Receives a message as SES does: the first matching rule of the active rule set stores it with trace fields on top,
     * then publishes the notification.
     */
    async receiveMail(sender: string, recipient: string, message: string): Promise<void> {
      const { Rules = [] } = await ses.send(new DescribeActiveReceiptRuleSetCommand());
      const domain = recipient.split('@')[1] ?? '';
      const action = Rules.find(({ Recipients = [] }) => Recipients.includes(domain))?.Actions?.[0]?.S3Action;
      if (action === undefined) throw new Error(`no active rule accepts mail to ${domain}`);
      const messageId = randomBytes(20).toString('hex');
      const object = { Bucket: action.BucketName, Key: `${action.ObjectKeyPrefix}${messageId}` };
      const now = new Date();
      const trace = [
        `Return-Path: <${sender}>`,
        'Received: from mail.example.net (mail.example.net [192.0.2.10])',
        ` by inbound-smtp.${REGION}.amazonaws.com with SMTP id ${messageId}`,
        ` for ${recipient};`,
        ` ${now.toUTCString().replace('GMT', '+0000 (UTC)')}`,
        'X-SES-Spam-Verdict: PASS',
        'X-SES-Virus-Verdict: PASS',
        '',
      ].join('\r\n');
      await s3.send(new PutObjectCommand({ ...object, Body: trace + message }));
      const notification = {
        notificationType: 'Received',
        receipt: {
          timestamp: now.toISOString(),
          processingTimeMillis: 400,
          recipients: [recipient],
          spamVerdict: { status: 'PASS' },
          virusVerdict: { status: 'PASS' },
          spfVerdict: { status: 'GRAY' },
          dkimVerdict: { status: 'GRAY' },
          dmarcVerdict: { status: 'GRAY' },
          action: {
            type: 'S3',
            topicArn: action.TopicArn,
            bucketName: object.Bucket,
            objectKeyPrefix: action.ObjectKeyPrefix,
            objectKey: object.Key,
          },
        },
        mail: {
          timestamp: now.toISOString(),
          source: sender,
          messageId,
          destination: [recipient],
          headersTruncated: false,
          headers: [],
        },
      };
      await query('sns', {
        Action: 'Publish',
        Version: '2010-03-31',
        TopicArn: action.TopicArn ?? '',
        Subject: 'Amazon SES Email Receipt Notification',
        Message: JSON.stringify(notification),
      });
    },

    /** The mail that SES has sent, oldest first. */
    async sentMail(): Promise<readonly SentMail[]> {
      const response = await fetch(`${url}/_ministack/ses/messages?account=${ACCOUNT}`);
      const { messages }: { messages: Record<string, SentMail[]> } = JSON.parse(await response.text());
      return messages[ACCOUNT] ?? [];
    },

    /** Calls the function with this description. Returns the message of its error, if it fails. */
    async invoke(summary: string): Promise<string | undefined> {
      const { FunctionName } = await functionWith(summary);
      const path = `/2015-03-31/functions/${FunctionName}/invocations`;
      const response = await send('lambda', path, { method: 'POST', body: '{}' });
      const text = await response.text();
      return response.headers.has('x-amz-function-error') ? JSON.parse(text).errorMessage : undefined;
    },

    /** The stacks that were not deleted. */
    async stackNames(): Promise<readonly string[]> {
      const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand());
      return Stacks.map(({ StackName = '' }) => StackName);
    },

    /** Makes another receipt rule set the active one, until the returned function is called. */
    async takeOver(RuleSetName: string): Promise<() => Promise<void>> {
      const { Metadata } = await ses.send(new DescribeActiveReceiptRuleSetCommand());
      await ses.send(new CreateReceiptRuleSetCommand({ RuleSetName }));
      await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName }));
      return async () => {
        await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: Metadata?.Name }));
      };
    },

    /** Denies an action to the function with this description, until the returned function is called. */
    async deny(summary: string, action: string): Promise<() => Promise<void>> {
      const { Role } = await functionWith(summary);
      const policy = {
        Version: '2010-05-08',
        RoleName: Role.split('/').at(-1) ?? '',
        PolicyName: 'denied',
      };
      const statement = { Effect: 'Deny', Action: action, Resource: '*' };
      await query('iam', {
        ...policy,
        Action: 'PutRolePolicy',
        PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
      });
      return async () => {
        await query('iam', { ...policy, Action: 'DeleteRolePolicy' });
      };
    },
  };
}

/**
 * Serves an HTTP API of the emulator at an address that needs no name resolution. The emulator finds an API by its host
 * name.
 */
export async function serveApi(emulator: Emulator, apiUrl: string) {
  const { host } = new URL(apiUrl);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host };
    // New connections, because either end may close an idle one at the moment of the next request.
    const forwarded = request(`${emulator.url}${incoming.url}`, {
      method: incoming.method,
      headers,
      agent: false,
    });
    forwarded.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, connection: 'close' });
      response.pipe(outgoing);
    });
    forwarded.once('error', () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
