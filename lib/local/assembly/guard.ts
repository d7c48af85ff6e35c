/** Holds every request to the embedded endpoints against the role of the function that sent it. */
import { type Guard, HOST_ACCESS_KEY } from '../guard.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback-server.ts';
import type { Arns } from './arns.ts';
import { needsOf, needToMiss, type Service, serviceOf } from './needs.ts';
import type { May, Need } from './policies.ts';

/** Functions sign with their names as access keys; the signature itself nobody checks on loopback. */
export function createGuard(permissions: ReadonlyMap<string, May>, arns: Arns): Guard {
  return async (request, answer) => {
    const caller = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'nobody';
    if (caller === HOST_ACCESS_KEY) return answer(request);
    const may = permissions.get(caller) ?? (() => false);
    const denied = neededOf(request, arns).find((need) => !may(need));
    if (denied !== undefined) return refusal(serviceOf(request), caller, denied);
    const answered = await answer(request);
    if (serviceOf(request) !== 's3' || answered.status !== 404) return answered;
    const missing = needToMiss(request, arns);
    return may(missing) ? answered : refusal('s3', caller, missing);
  };
}

/** A request that cannot be read needs nothing: the endpoint itself says what is wrong with it. */
function neededOf(request: LoopbackRequest, arns: Arns): readonly Need[] {
  try {
    return needsOf(request, arns);
  } catch {
    return [];
  }
}

function refusal(service: Service, caller: string, { action, resource }: Need): LoopbackAnswer {
  const message = `User: ${caller} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
  if (service === 's3') {
    return {
      status: 403,
      headers: { 'Content-Type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
    };
  }
  return {
    status: service === 'dynamodb' ? 400 : 403,
    headers: { 'Content-Type': 'application/x-amz-json-1.0', ...errorHeaders[service] },
    body: JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }),
  };
}

/** Where SQS's and SES's clients look for the name of an error. */
const errorHeaders: Readonly<Record<Exclude<Service, 's3'>, Readonly<Record<string, string>>>> = {
  dynamodb: {},
  sqs: { 'x-amzn-query-error': 'AccessDenied;Sender' },
  ses: { 'x-amzn-ErrorType': 'AccessDeniedException' },
};
