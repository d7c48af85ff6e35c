import { CfnOutput, Stack } from 'aws-cdk-lib';
import { type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ADMIN_OUTPUT, adminEnvironment } from './admin-output.ts';
import { Api } from './api.ts';
import { customerKeyOf } from './customer-key.ts';
import type { DataStack } from './data.ts';
import { dnsOutputs } from './dns-outputs.ts';
import { functionMaker, type MakeFunction } from './function.ts';
import type { Bundles } from './handlers.ts';
import type { MailStack } from './mail.ts';
import type { ProbesStack } from './probes.ts';
import { makeQueue, outputQueue, serviceQueues, type WorkQueues } from './queues.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';
import { BackgroundJobs } from './work.ts';

interface Foundations {
  readonly data: DataStack;
  readonly mail: MailStack;
  readonly probes: ProbesStack | undefined;
  readonly bundles: Bundles;
}

/**
 * Everything that runs, except some endpoints. It stores nothing, and can be replaced at any time.
 *
 *     client -> Api  -> a function per row of functions/routes.ts   -> the table
 *                            |                                          ^
 *                            v                                          |
 *     clock  -> Work -> a function per row of functions/triggers.ts ----+
 */
export class ServiceStack extends Stack {
  /** The functions of this stack by the name of their row, including `fallback`. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  /** Creates a function, in any stack, that uses the resources of this one. */
  readonly makeFunction: MakeFunction;
  /** All queues with a consumer, including those of the mail stack. */
  readonly queues: WorkQueues;
  /** The table of the data stack, or the restored table that replaces it. */
  readonly table: ITableV2;
  readonly api: Api;
  /** The base URL of the API. */
  readonly hostUrl: string;

  constructor(scope: Construct, settings: Settings, { data, mail, probes, bundles }: Foundations) {
    super(
      scope,
      stackName(settings, 'service'),
      stackProps(settings, 'service', 'the API and background jobs'),
    );
    const key = customerKeyOf(this, data.mail);
    const own = Object.fromEntries(serviceQueues.map((name) => [name, makeQueue(this, name, key)]));
    this.queues = { ...own, ...mail.queues } as WorkQueues;
    const { restoredTable } = settings;
    this.table =
      restoredTable === undefined ? data.table : TableV2.fromTableName(this, 'RestoredTable', restoredTable);
    this.api = new Api(this, 'Api', settings);
    const hostUrl = settings.environment.HOST_URL ?? this.api.http.apiEndpoint;
    this.hostUrl = hostUrl;
    this.makeFunction = functionMaker({
      settings,
      bundles,
      table: this.table,
      mail: data.mail,
      secretsKey: data.secretsKey,
      signingKey: data.signingKey,
      queues: this.queues,
      eventBus:
        settings.events === 'bus'
          ? new EventBus(this, 'Events', { eventBusName: stackName(settings, 'events') })
          : undefined,
      hostUrl,
      probes,
    });
    const functions = new Map<string, LambdaFunction>();
    const makeFunction: MakeFunction = (place, row) => {
      const made = this.makeFunction(place, row);
      functions.set(row.name, made);
      return made;
    };
    this.api.makeFunctions(makeFunction);
    new BackgroundJobs(this, 'Work', this.queues, makeFunction, settings);
    this.functions = functions;

    new CfnOutput(this, 'ApiUrl', { value: hostUrl });
    const where = {
      AWS_REGION: this.region,
      TABLE_NAME: this.table.tableName,
      MAIL_BUCKET: data.mail.bucketName,
      SECRETS_KEY: data.secretsKey.keyArn,
    };
    new CfnOutput(this, ADMIN_OUTPUT, {
      value: this.toJsonString(adminEnvironment(where, settings.environment)),
    });
    for (const [name, queue] of Object.entries(own)) outputQueue(this, name, queue);
    for (const [id, value] of Object.entries(dnsOutputs({ apiDomain: this.api.domain })))
      new CfnOutput(this, id, { value });
  }
}
