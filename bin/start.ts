import { startService } from '../lib/local/service.ts';
import { runService } from './run-service.ts';

await runService(() => startService(process.env));
