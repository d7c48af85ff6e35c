import { Duration, SecretValue } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EVERY_MINUTES } from './canary/canary.ts';
import { bundleOf, makeLambda } from './function.ts';
import { allowAlertMail } from './grants.ts';
import { type Bundles, canaryHandler } from './handlers.ts';
import { runEvery } from './mail-watch.ts';
import type { Settings } from './settings.ts';

const row = {
  name: 'canary',
  handler: canaryHandler,
  summary: 'Reads a domain through the API, and sends a report mail each hour that has to become a report',
  timeoutSeconds: 60,
  memoryMegabytes: 256,
};

/** Uses the service as a customer does. */
export class Canary extends Construct {
  /** Its errors and invocations are what alarms watch. */
  readonly made: LambdaFunction;

  constructor(scope: Construct, id: string, settings: Settings, apiUrl: string, bundles: Bundles) {
    super(scope, id);
    const { canarySecretArn = '', alertSender = '' } = settings;
    this.made = makeLambda(this, row, { ...bundleOf(row, bundles), ...settings });
    // Resolved by CloudFormation at deployment, so that templates do not contain it.
    const secret = (jsonField: string) =>
      SecretValue.secretsManager(canarySecretArn, { jsonField }).unsafeUnwrap();
    const environment = {
      API_URL: apiUrl,
      CANARY_TOKEN: secret('token'),
      CANARY_DOMAIN: secret('domainId'),
      ALERT_SENDER: alertSender,
    };
    for (const [key, value] of Object.entries(environment)) this.made.addEnvironment(key, value);
    allowAlertMail(this.made, settings);
    runEvery(this, Duration.minutes(EVERY_MINUTES), row.summary, this.made);
  }
}
