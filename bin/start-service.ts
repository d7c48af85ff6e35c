import { exampleInternet } from '../lib/local/example-internet/environment.ts';
import { sourcePlan } from '../lib/local/host/program.ts';
import { startService } from '../lib/local/host/service.ts';
import { runService } from './run-service.ts';

await runService(() => startService(process.env, sourcePlan, exampleInternet));
