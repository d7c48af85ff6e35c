/** The second argument of a Lambda handler. */
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

export interface Invocation {
  readonly functionName: string;
  readonly memoryMegabytes: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export function lambdaContext({ functionName, memoryMegabytes, endsAt }: Invocation): Context {
  const awsRequestId = randomUUID();
  const unsupported = () => {
    throw new Error('the Node.js 24 runtime does not support callbacks');
  };
  return {
    awsRequestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: String(memoryMegabytes),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}
