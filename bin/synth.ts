/** The CDK app of the package: as `cdk.ts`, with the bundles and feature flags that the package has. */
import { App } from 'aws-cdk-lib';
import { readSettings } from '../lib/cloud/config.ts';
import { featureFlags } from '../lib/cloud/feature-flags.ts';
import { packagedBundles } from '../lib/cloud/packaged-bundles.ts';
import { createStacks } from '../lib/cloud/stacks.ts';
import { runTool } from './run-tool.ts';

await runTool(async () => {
  const app = new App({ context: featureFlags() });
  createStacks(app, readSettings(app.node.getAllContext()), packagedBundles());
  app.synth();
  return { code: 0 };
});
