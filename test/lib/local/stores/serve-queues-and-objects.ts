/** A process that serves the folder in its first argument until it is killed. It prints its endpoint. */
import { argv, stdout } from 'node:process';
import { startQueuesAndObjects } from '../../../../lib/local/stores/queues-and-objects.ts';

const { endpoint } = await startQueuesAndObjects({
  dataFolder: String(argv[2]),
  buckets: ['mail'],
  queues: [{ name: 'parse', maxReceiveCount: 5, visibilityTimeoutSeconds: 1 }],
});
stdout.write(`${endpoint}\n`);
