/**
 * `npm start`, but with the bundles of the `cdk synth` in the folder CLOUD_ASSEMBLY instead of the source files, wired as
 * its templates say.
 */
import { runService } from '../../../bin/run-service.ts';
import { startService } from '../../../lib/local/service.ts';
import { assemblyPlan } from './plan.ts';

await runService(async () => {
  const { CLOUD_ASSEMBLY = '', ...environment } = process.env;
  return startService(environment, assemblyPlan(CLOUD_ASSEMBLY, environment));
});
