/** The CDK app: `npx cdk synth -c settings=<file>`. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleAll } from '../lib/cloud/bundle.ts';
import { readSettings } from '../lib/cloud/config.ts';
import { BundleError } from '../lib/cloud/handlers.ts';
import { createStacks } from '../lib/cloud/stacks.ts';
import { ConfigError } from '../shared/runtime/config/config.ts';

try {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  createStacks(app, readSettings(app.node.getAllContext()), await bundleAll());
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof BundleError)) throw error;
  console.error(error.message);
  process.exit(1);
}
