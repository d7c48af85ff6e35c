/** What each capability of a row means in AWS, action by action. */

import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { inboundMail, queues as queueTable } from '../../functions/triggers.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import type { Capability, Route } from '../../shared/runtime/route.ts';
import type { InboundMail, QueueName } from '../../shared/runtime/trigger.ts';
import { tableDefinition } from '../../shared/store/keys.ts';
import type { Bundles } from './bundle.ts';
import type { Settings } from './config.ts';
import type { ProbesStack } from './probes.ts';
import type { WorkQueues } from './queues.ts';

/** What functions are made of and may be given. */
export interface Service {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly table: ITableV2;
  readonly mail: IBucket;
  readonly queues: WorkQueues;
  /** Where clients find the API. */
  readonly hostUrl: string;
  /** Where functions that dial port 25 run; Lambda's own network does not let them. */
  readonly probes: Pick<ProbesStack, 'vpc' | 'securityGroup'> | undefined;
}

const reading = ['dynamodb:GetItem', 'dynamodb:Query'];

/** A transaction needs no action of its own, only those of the writes in it. */
const writing = [
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

/** What a capability allows, and the address that comes with it. DNS takes the internet, and nothing of AWS. */
export const allow: Readonly<
  Record<Capability, (made: LambdaFunction, service: Service, row: Pick<Route, 'partitions'>) => void>
> = {
  'table:read': (made, { table }, row) => allowTable(made, table, row, reading),
  'table:write': (made, { table }, row) => allowTable(made, table, row, [...reading, ...writing]),
  // Of who may only read, what is counted of its callers.
  'calls:count': (made, { table }) =>
    allowTable(made, table, { partitions: ['RATE#'] }, ['dynamodb:UpdateItem']),
  'queue:deletions': (made, { queues }) => allowSending(made, queues, 'deletions'),
  'queue:checks': (made, { queues }) => allowSending(made, queues, 'checks'),
  'queue:notifications': (made, { queues }) => allowSending(made, queues, 'notifications'),
  // Who receives messages may put them off; it takes the address only.
  'postpone:notifications': (made, { queues }) => tellQueue(made, queues, 'notifications'),
  'size:checks': (made, { queues }) => {
    made.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queues.checks.queue.queueArn] }),
    );
  },
  'report-mail:read': (made, { mail }) => allowReading(made, mail, inboundMail.reports),
  'report-mail:delete': (made, { mail }) => allowMail(made, mail, inboundMail.reports, 's3:DeleteObject'),
  'test-mail:read': (made, { mail }) => allowReading(made, mail, inboundMail.tester),
  'test-mail:delete': (made, { mail }) => allowMail(made, mail, inboundMail.tester, 's3:DeleteObject'),
  'mail:send': (made, { settings }) => allowAlertMail(made, settings),
  dns: () => {},
  probes: (made) => allowNetworkInterfaces(made),
};

function allowTable(
  made: LambdaFunction,
  table: ITableV2,
  { partitions }: Pick<Route, 'partitions'>,
  actions: string[],
): void {
  made.addEnvironment('TABLE_NAME', table.tableName);
  if (partitions !== undefined) {
    const leadingKeys = partitions.map((prefix) => `${prefix}*`);
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } };
    made.addToRolePolicy(new PolicyStatement({ actions, resources: [table.tableArn], conditions }));
    return;
  }
  made.addToRolePolicy(new PolicyStatement({ actions, resources: [table.tableArn] }));
  const index = `${table.tableArn}/index/${tableDefinition.index.name}`;
  made.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources: [index] }));
}

/** Without the right to list, S3 says of an object that is not there that asking for it is forbidden. */
function allowReading(made: LambdaFunction, mail: IBucket, kind: InboundMail): void {
  allowMail(made, mail, kind, 's3:GetObject');
  made.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [mail.bucketArn] }));
}

function allowMail(made: LambdaFunction, mail: IBucket, { prefix }: InboundMail, action: string): void {
  made.addEnvironment('MAIL_BUCKET', mail.bucketName);
  const objects = `${prefix}*`;
  made.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [mail.arnForObjects(objects)] }));
  const bucket = Stack.of(made).resolve(Stack.of(mail).exportValue(mail.bucketArn))['Fn::ImportValue'];
  Validations.of(made.role ?? made).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${bucket}/${objects}]`,
    reason: 'Every message has a key of its own, made when it arrives.',
  });
}

function allowSending(made: LambdaFunction, queues: WorkQueues, name: QueueName): void {
  const { queueArn } = queues[name].queue;
  tellQueue(made, queues, name);
  made.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queueArn] }));
}

function tellQueue(made: LambdaFunction, queues: WorkQueues, name: QueueName): void {
  made.addEnvironment(queueTable[name].urlKey, queues[name].queue.queueUrl);
}

/** Of the managed policy AWSLambdaVPCAccessExecutionRole, without the logs. */
const networkInterfaces = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Lambda joins and leaves a network in the name of the function's role, and leaves it some while after the function
 * did; so this is there also where no function is in a network, or none any longer. The function's own code may do
 * nothing of it: what code asks for bears the name of a function, and what Lambda does bears none.
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
    reason: 'Lambda makes and removes network interfaces that have no names before, and only Lambda may.',
  });
}

/** From one address only, in the name of the identity of its domain. */
function allowAlertMail(made: LambdaFunction, { alertSender }: Settings): void {
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
