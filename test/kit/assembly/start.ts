/**
 * `npm start`, but with the bundles of the `cdk synth` in the folder CLOUD_ASSEMBLY instead of the source files, wired as
 * its templates say.
 */
import { runService } from '../../../bin/run-service.ts';
import { exampleInternet } from '../../../lib/local/example-internet/environment.ts';
import { startService } from '../../../lib/local/host/service.ts';
import { assemblyPlan } from './plan.ts';

await runService(async () => {
  const { CLOUD_ASSEMBLY = '', ...environment } = process.env;
  return startService(environment, assemblyPlan(CLOUD_ASSEMBLY, environment), exampleInternet);
});
