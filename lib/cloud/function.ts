import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnBucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queues as queueTable } from '../../functions/triggers.ts';
import type { Capability, Route } from '../../shared/runtime/route.ts';
import type { QueueName } from '../../shared/runtime/trigger.ts';
import { tableDefinition } from '../../shared/store/keys.ts';
import { BundleError, type Bundles } from './bundle.ts';
import type { Environment, Settings } from './config.ts';
import { keeping } from './stage.ts';

/** What a row of either table says about its function. */
export type FunctionRow = Pick<
  Route,
  'name' | 'handler' | 'summary' | 'timeoutSeconds' | 'memoryMegabytes' | 'uses'
>;

export type MakeFunction = (scope: Construct, row: FunctionRow) => LambdaFunction;

export type Queues = Readonly<Record<QueueName, IQueue>>;

interface Service {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly table: TableV2;
  readonly mail: IBucket;
  readonly queues: Queues;
  readonly apiUrl: string;
}

/**
 * The one place where a Lambda is made: with a log group and a role of its own, the actions that its row's
 * capabilities name and no others, and of the environment what its code reads.
 */
export function functionMaker(service: Service): MakeFunction {
  const { settings, bundles } = service;
  const environment: Environment = { HOST_URL: service.apiUrl, ...settings.environment };
  return (scope, row) => {
    const bundle = bundles.get(row.handler);
    if (bundle === undefined) throw new BundleError(`${row.name}: there is no bundle of ${row.handler}`);
    const here = new Construct(scope, row.name);
    const { logRetention, removalPolicy } = keeping[settings.stage];
    const logGroup = new LogGroup(here, 'Log', { retention: logRetention, removalPolicy });
    const role = new Role(here, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const made = new LambdaFunction(here, 'Function', {
      description: row.summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundle.folder, { exclude: ['*.map'] }),
      handler: 'index.handler',
      timeout: Duration.seconds(row.timeoutSeconds),
      memorySize: row.memoryMegabytes,
      environment: Object.fromEntries(
        Object.entries(environment).filter(([key]) => bundle.reads.has(key as keyof Environment)),
      ),
      role,
      logGroup,
    });
    for (const capability of row.uses) allow[capability](made, service);
    return made;
  };
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

/** What a capability allows, and the address that comes with it. DNS and probes take the internet, and nothing of AWS. */
const allow: Readonly<Record<Capability, (made: LambdaFunction, service: Service) => void>> = {
  'table:read': (made, { table }) => allowTable(made, table, reading),
  'table:write': (made, { table }) => allowTable(made, table, [...reading, ...writing]),
  'queue:deletions': (made, { queues }) => allowSending(made, queues, 'deletions'),
  'queue:checks': (made, { queues }) => allowSending(made, queues, 'checks'),
  'size:checks': (made, { queues }) => {
    made.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:GetQueueAttributes'], resources: [queues.checks.queueArn] }),
    );
  },
  'mail:read': (made, { mail }) => allowMail(made, mail, 's3:GetObject', true),
  'mail:delete': (made, { mail }) => allowMail(made, mail, 's3:DeleteObject', false),
  dns: () => {},
  probes: () => {},
};

function allowTable(made: LambdaFunction, table: TableV2, actions: string[]): void {
  made.addEnvironment('TABLE_NAME', table.tableName);
  made.addToRolePolicy(new PolicyStatement({ actions, resources: [table.tableArn] }));
  const index = `${table.tableArn}/index/${tableDefinition.index.name}`;
  made.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources: [index] }));
}

/** Without the right to list, S3 says of an object that is not there that asking for it is forbidden. */
function allowMail(made: LambdaFunction, mail: IBucket, action: string, list: boolean): void {
  made.addEnvironment('MAIL_BUCKET', mail.bucketName);
  made.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [mail.arnForObjects('*')] }));
  const bucket = Stack.of(mail).getLogicalId(mail.node.defaultChild as CfnBucket);
  Validations.of(made.role ?? made).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${bucket}.Arn>/*]`,
    reason: 'Every message has a key of its own, made when it arrives.',
  });
  if (list) {
    made.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [mail.bucketArn] }));
  }
}

function allowSending(made: LambdaFunction, queues: Queues, name: QueueName): void {
  made.addEnvironment(queueTable[name].urlKey, queues[name].queueUrl);
  made.addToRolePolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queues[name].queueArn] }),
  );
}
