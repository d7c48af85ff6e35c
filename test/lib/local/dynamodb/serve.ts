/** A process that serves the file of its first argument until it is killed, and says where. */
import { argv, stdout } from 'node:process';
import { startDynamoDb } from '../../../../lib/local/dynamodb/endpoint.ts';

const { endpoint } = await startDynamoDb({ path: String(argv[2]) });
stdout.write(`${endpoint}\n`);
