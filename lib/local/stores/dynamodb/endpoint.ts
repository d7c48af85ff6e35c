/** DynamoDB for one machine: the part of its HTTP API that this service uses, stored in one file. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../shared/network/ports.ts';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAccess,
  type LoopbackAnswer,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { type Database, type IsFleeting, openDatabase } from './database.ts';
import { internalError, malformedRequest, Refusal, unknownOperation } from './errors.ts';
import { run } from './operations.ts';
import { TARGET } from './target.ts';
import { sweep } from './time-to-live.ts';

export interface DynamoDbOptions extends LoopbackAccess {
  /** The database file, created if missing; `:memory:` keeps nothing. */
  readonly path: string;
  /** The clock for time to live and client request tokens. */
  readonly clock?: Clock;
  readonly sweepMilliseconds?: number;
  /** By default, no partition is. */
  readonly isFleeting?: IsFleeting;
  /** Called with each error of the file. */
  readonly onFailure?: (error: unknown) => void;
}

/** AWS, "BatchWriteItem": a request has at most 16 MB. */
const MAX_BODY = 16 * 1024 * 1024;
const SWEEP_MILLISECONDS = 5000;

/** Its `endpoint` is for `AWS_ENDPOINT_URL_DYNAMODB`. Its stop also closes the file. */
export type DynamoDb = LoopbackServer;

/** Rejects if the port is in use or the file cannot be used. */
export async function startDynamoDb({
  path,
  clock = { now: () => new Date() },
  sweepMilliseconds = SWEEP_MILLISECONDS,
  isFleeting = () => false,
  onFailure = () => {},
  ...access
}: DynamoDbOptions): Promise<DynamoDb> {
  const database = openDatabase(path, clock, isFleeting);
  try {
    const server = await serveLoopback({
      ...access,
      maxBody: MAX_BODY,
      answer: (request) => answer(database, request, onFailure),
    });
    const timer = setInterval(() => attemptSweep(database, onFailure), sweepMilliseconds).unref();
    return {
      ...server,
      async stop() {
        clearInterval(timer);
        await server.stop();
        database.storage.close();
      },
    };
  } catch (error) {
    database.storage.close();
    throw error;
  }
}

/** If the file is locked or the disk is full, the next sweep does the work. */
function attemptSweep(database: Database, onFailure: (error: unknown) => void): void {
  try {
    sweep(database);
    database.storage.giveBackSpace();
  } catch (error) {
    onFailure(error);
  }
}

function answer(
  database: Database,
  { headers, body }: LoopbackRequest,
  onFailure: (error: unknown) => void,
): LoopbackAnswer {
  try {
    const target = headers['x-amz-target'];
    if (typeof target !== 'string' || !target.startsWith(TARGET)) throw unknownOperation();
    if (body === undefined) return failure(413, malformedRequest('Request size limit exceeded'));
    const input = jsonIn(body);
    if (input === undefined) throw malformedRequest('The request body is not JSON');
    return json(200, run(database, target.slice(TARGET.length), input));
  } catch (error) {
    if (error instanceof Refusal) return failure(400, error);
    onFailure(error);
    return failure(500, internalError(String(error)));
  }
}

const failure = (status: number, { type, message, members }: Refusal): LoopbackAnswer =>
  json(status, { __type: type, message, ...members });

const json = (status: number, content: unknown): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-RequestId': randomUUID() },
  body: JSON.stringify(content),
});
