/** The AWS actions of each capability. */

import { ArnFormat, Aws, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { inboundMail } from '../../functions/triggers.ts';
import type { Capability, OtherCapability } from '../../shared/operations/capability.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import type { InboundMail, QueueName } from '../../shared/runtime/workers/trigger.ts';
import { queues as queueTable } from '../../shared/runtime/workers/trigger.ts';
import { indexPartitions, partitions, tableDefinition } from '../../shared/store/keys.ts';
import type { Bundles } from './handlers.ts';
import type { ProbesStack } from './probes.ts';
import type { WorkQueues } from './queues.ts';
import { type SecondMail, secondMailOf } from './second-region.ts';
import type { Settings } from './settings.ts';

/** The resources that functions can get access to. */
export interface Service {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly table: ITableV2;
  readonly mail: IBucket;
  readonly secretsKey: IKey;
  /** Signs evidence. */
  readonly signingKey: IKey;
  readonly queues: WorkQueues;
  /** The bus of the operator for notifications, if there is one. */
  readonly eventBus: IEventBus | undefined;
  /** The base URL of the API. */
  readonly hostUrl: string;
  /** The VPC for functions that connect to port 25, which is blocked outside a VPC. */
  readonly probes: Pick<ProbesStack, 'vpc' | 'securityGroup'> | undefined;
}

/** The properties of a row that determine what its function can access. */
export type Uses = Pick<Route, 'uses'> & Partial<Pick<Route, 'access' | 'method' | 'rate'>>;

/** Gives a function the permissions and environment variables for what its row uses. */
export function grant(made: LambdaFunction, service: Service, row: Uses): void {
  allowTable(made, service.table, row);
  allowSecrets(made, service, row);
  for (const use of row.uses) if (isOther(use)) allow[use](made, service);
}

/** The permissions and environment variables of each capability. DNS needs only internet access. */
const allow: Readonly<Record<OtherCapability, (made: LambdaFunction, service: Service) => void>> = {
  'queue:deletions': (made, { queues }) => allowSending(made, queues, 'deletions'),
  'queue:checks': (made, { queues }) => allowSending(made, queues, 'checks'),
  'queue:reports': (made, { queues }) => allowSending(made, queues, 'reports'),
  'queue:tester': (made, { queues }) => allowSending(made, queues, 'tester'),
  'queue:notifications': (made, { queues }) => allowSending(made, queues, 'notifications'),
  'queue:digests': (made, { queues }) => allowSending(made, queues, 'digests'),
  'queue:summaries': (made, { queues }) => allowSending(made, queues, 'summaries'),
  'queue:mailboxes': (made, { queues }) => allowSending(made, queues, 'mailboxes'),
  // The consumer of a queue is already allowed to postpone messages; it needs only the URL.
  'queue-postpone:reports': (made, { queues }) => passQueueUrl(made, queues, 'reports'),
  'queue-postpone:tester': (made, { queues }) => passQueueUrl(made, queues, 'tester'),
  'queue-postpone:notifications': (made, { queues }) => passQueueUrl(made, queues, 'notifications'),
  'queue-postpone:digests': (made, { queues }) => passQueueUrl(made, queues, 'digests'),
  'queue-size:checks': (made, { queues }) => {
    made.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queues.checks.queue.queueArn] }),
    );
  },
  'second-mail:take': (made, { mail, settings }) => allowTaking(made, mail, secondMailOf(settings)),
  'report-mail:read': (made, { mail }) => allowReading(made, mail, inboundMail.reports),
  'report-mail:write': (made, { mail }) => allowMail(made, mail, inboundMail.reports, 's3:PutObject'),
  'report-mail:delete': (made, { mail }) => allowMail(made, mail, inboundMail.reports, 's3:DeleteObject'),
  'test-mail:read': (made, { mail }) => allowReading(made, mail, inboundMail.tester),
  'test-mail:delete': (made, { mail }) => allowMail(made, mail, inboundMail.tester, 's3:DeleteObject'),
  'mail:send': (made, { settings }) => allowAlertMail(made, settings),
  'events:put': (made, { eventBus }) => {
    if (eventBus === undefined) return;
    eventBus.grantPutEventsTo(made);
    made.addEnvironment('EVENTS_BUS', eventBus.eventBusName);
  },
  'evidence:sign': (made, { signingKey }) => {
    made.addEnvironment('SIGNING_KEY', signingKey.keyArn);
    const actions = ['kms:GetPublicKey', 'kms:Sign'];
    made.addToRolePolicy(new PolicyStatement({ actions, resources: [signingKey.keyArn] }));
  },
  'identity-provider': (made, { settings }) => passProviderSecret(made, settings),
  dns: () => {},
  probes: (made) => allowNetworkInterfaces(made),
};

const isOther = (use: Capability): use is OtherCapability => Object.hasOwn(allow, use);

/** A transaction can check items that the function only reads. */
const reading = ['ConditionCheckItem', 'GetItem', 'Query'];

/** A transaction needs only the permissions of its writes. */
const writing = ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'];

/**
 * Every statement is limited to partitions. All these actions name the partitions that they reach; an action that does
 * not, such as Scan, would not be limited.
 */
function allowTable(
  made: LambdaFunction,
  table: ITableV2,
  { uses, access = 'public', method, rate = 'none' }: Uses,
): void {
  const used = (of: typeof partitions | typeof indexPartitions, how: string) =>
    Object.entries(of).flatMap(([name, prefix]) =>
      uses.some((use) => use === `${name}:${how}`) ? prefix : [],
    );
  const index = `${table.tableArn}/index/${tableDefinition.index.name}`;
  const onlyRead = used(partitions, 'read').filter((prefix) => !used(partitions, 'write').includes(prefix));
  const statements: readonly Statement[] = [
    // Authentication: only someone who has a token knows the key of its item.
    [['GetItem'], credentialsOf({ access, uses })],
    [['PutItem'], access !== 'public' && method !== 'GET' ? [partitions.audit] : []],
    [
      ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'],
      access === 'token' && method === 'POST' ? [partitions.idempotency] : [],
    ],
    [['UpdateItem'], access !== 'public' ? [partitions['token-uses']] : []],
    [['UpdateItem'], access === 'session' ? [partitions.sessions] : []],
    [['GetItem', 'UpdateItem'], rate === 'none' ? [] : [partitions['rate-limits']]],
    [reading, onlyRead],
    [[...reading, ...writing], used(partitions, 'write')],
    [['GetItem', 'UpdateItem'], used(partitions, 'renew')],
    // One statement has to cover all keys of a batch.
    [['BatchGetItem'], [...onlyRead, ...used(partitions, 'write')]],
    [['Query'], used(indexPartitions, 'list'), index],
  ];
  const needed = statements.filter(([, prefixes]) => prefixes.length > 0);
  if (needed.length > 0) made.addEnvironment('TABLE_NAME', table.tableName);
  for (const [actions, prefixes, on = table.tableArn] of needed) {
    const leadingKeys = prefixes.map((prefix) => `${prefix}*`);
    made.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [on],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } },
      }),
    );
  }
}

/** Actions on partitions, by the prefixes of their keys; on the table itself if nothing else is named. */
type Statement = readonly [actions: readonly string[], prefixes: readonly string[], on?: string];

/**
 * Who reaches a partition of secrets also needs the key that they are encrypted with.
 * Adding and changing a mailbox stores what signs in to it and never reads it; reading and testing one do both, because a
 * refresh token can be replaced with each use.
 */
function allowSecrets(made: LambdaFunction, { secretsKey }: Service, { uses }: Uses): void {
  const decrypts = (['secrets:read', 'secrets:write', 'mailbox-secrets:read'] as const).some((use) =>
    uses.includes(use),
  );
  const encrypts = (['secrets:write', 'mailbox-secrets:write'] as const).some((use) => uses.includes(use));
  const actions = [...(decrypts ? ['kms:Decrypt'] : []), ...(encrypts ? ['kms:Encrypt'] : [])];
  if (actions.length === 0) return;
  made.addEnvironment('SECRETS_KEY', secretsKey.keyArn);
  made.addToRolePolicy(new PolicyStatement({ actions, resources: [secretsKey.keyArn] }));
}

/** What authentication reads. A function that starts sessions reads the tokens that they are for. */
function credentialsOf({ access, uses }: Uses): readonly string[] {
  if (access === 'session') return [partitions.tokens, partitions.sessions];
  const hasToken = access === 'token' || uses.includes('sessions:write');
  return hasToken ? [partitions.tokens] : [];
}

/**
 * Without permission to list, S3 returns 403 instead of 404 for an object that does not exist. The prefix that S3 compares
 * then is the key of the object (https://github.com/ceph/ceph/pull/68577).
 */
function allowReading(made: LambdaFunction, mail: IBucket, kind: InboundMail): void {
  allowMail(made, mail, kind, 's3:GetObject');
  made.addToRolePolicy(
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [mail.bucketArn],
      conditions: { StringLike: { 's3:prefix': `${kind.prefix}*` } },
    }),
  );
}

function allowMail(made: LambdaFunction, mail: IBucket, { prefix }: InboundMail, action: string): void {
  made.addEnvironment('MAIL_BUCKET', mail.bucketName);
  const objects = `${prefix}*`;
  made.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [mail.arnForObjects(objects)] }));
  const bucket = Stack.of(made).resolve(Stack.of(mail).exportValue(mail.bucketArn))['Fn::ImportValue'];
  Validations.of(made.role ?? made).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${bucket}/${objects}]`,
    reason: 'Every message has its own key, which is generated when it arrives.',
  });
}

/** A second region has its own bucket, from which mail is moved. */
function allowTaking(made: LambdaFunction, mail: IBucket, second: SecondMail | undefined): void {
  if (second === undefined) return;
  made.addEnvironment('SECOND_MAIL_BUCKET', second.bucket);
  made.addEnvironment('SECOND_MAIL_REGION', second.region);
  const bucket = `arn:${Aws.PARTITION}:s3:::${second.bucket}`;
  made.addToRolePolicy(
    new PolicyStatement({ actions: ['s3:DeleteObject', 's3:GetObject'], resources: [`${bucket}/*`] }),
  );
  // Without it, S3 does not say that a mail is no longer there.
  made.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket] }));
  Validations.of(made.role ?? made).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${second.bucket}/*]`,
    reason: 'Every message has its own key, which is generated when it arrives.',
  });
  for (const row of Object.values(inboundMail)) allowMail(made, mail, row, 's3:PutObject');
}

function allowSending(made: LambdaFunction, queues: WorkQueues, name: QueueName): void {
  const { queueArn } = queues[name].queue;
  passQueueUrl(made, queues, name);
  made.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queueArn] }));
}

function passQueueUrl(made: LambdaFunction, queues: WorkQueues, name: QueueName): void {
  made.addEnvironment(queueTable[name].urlKey, queues[name].queue.queueUrl);
}

/** Resolved by CloudFormation at deployment, so that templates do not contain it. */
function passProviderSecret(made: LambdaFunction, { oidcSecretArn }: Pick<Settings, 'oidcSecretArn'>): void {
  if (oidcSecretArn === undefined) return;
  made.addEnvironment('OIDC_CLIENT_SECRET', SecretValue.secretsManager(oidcSecretArn).unsafeUnwrap());
}

/** From the managed policy AWSLambdaVPCAccessExecutionRole, without logging. */
const networkInterfaces = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Lambda manages the network interfaces of a VPC function with the function's role, and deletes them some time after the
 * function left the VPC. So this permission is needed even if no function is in a VPC, or none any longer. The function's
 * own code is denied these actions: its requests carry `lambda:SourceFunctionArn`, and those of Lambda do not.
 */
function allowNetworkInterfaces(made: LambdaFunction): void {
  const anyFunction = Stack.of(made).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const statement = { actions: networkInterfaces, resources: ['*'] };
  made.addToRolePolicy(new PolicyStatement(statement));
  made.addToRolePolicy(
    new PolicyStatement({
      ...statement,
      effect: Effect.DENY,
      conditions: { ArnLike: { 'lambda:SourceFunctionArn': anyFunction } },
    }),
  );
  Validations.of(made.role ?? made).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason:
      'Lambda creates and deletes network interfaces whose names are not known in advance, and only Lambda is allowed to.',
  });
}

/** Sending only from the alert sender, with the identity of its domain. */
export function allowAlertMail(made: LambdaFunction, { alertSender }: Pick<Settings, 'alertSender'>): void {
  if (alertSender === undefined) return;
  made.addToRolePolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [
        Stack.of(made).formatArn({
          service: 'ses',
          resource: 'identity',
          resourceName: domainOf(alertSender),
        }),
      ],
      conditions: { StringEquals: { 'ses:FromAddress': alertSender } },
    }),
  );
}
