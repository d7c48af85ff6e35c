/** A process that serves the database file in its first argument until it is killed. It prints its endpoint. */
import { argv, stdout } from 'node:process';
import { startDynamoDb } from '../../../../../lib/local/stores/dynamodb/endpoint.ts';

const { endpoint } = await startDynamoDb({ path: String(argv[2]) });
stdout.write(`${endpoint}\n`);
