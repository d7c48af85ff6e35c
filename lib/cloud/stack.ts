import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import type { Bundles } from './bundle.ts';
import type { Settings } from './config.ts';
import { Data } from './data.ts';
import { functionMaker } from './function.ts';
import { Work } from './work.ts';

/**
 * The service on AWS.
 *
 *     client -> Api  -> a function per row of functions/routes.ts   -> Data
 *                            |                                          ^
 *                            v                                          |
 *     clock  -> Work -> a function per row of functions/triggers.ts ----+
 */
export class MonitorStack extends Stack {
  constructor(scope: Construct, settings: Settings, bundles: Bundles) {
    super(scope, `domain-monitor-${settings.stage}`, {
      description: `Email domain security monitor (${settings.stage})`,
      terminationProtection: settings.stage === 'prod',
      tags: { service: 'email-domain-security-monitor', stage: settings.stage },
    });
    const { table, mail } = new Data(this, 'Data', settings);
    const work = new Work(this, 'Work');
    const api = new Api(this, 'Api', settings);
    const makeFunction = functionMaker({
      settings,
      bundles,
      table,
      mail,
      queues: work.queues,
      apiUrl: api.url,
    });
    api.serve(makeFunction);
    work.start(makeFunction);

    new CfnOutput(this, 'ApiUrl', { value: api.url });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'MailBucketName', { value: mail.bucketName });
  }
}
