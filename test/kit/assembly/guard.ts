/** Checks every request to the embedded endpoints against the role of the calling function. */
import {
  HOST_ACCESS_KEY,
  type IamAuthorizer,
  type LoopbackAnswer,
  type LoopbackRequest,
} from '../../../lib/local/stores/loopback-server.ts';
import type { Arns } from './arns.ts';
import type { IsAllowed, Permission } from './policies.ts';
import {
  permissionToSeeMissing,
  requiredPermissions,
  type Service,
  serviceOf,
} from './required-permissions.ts';

/** A function's access key is its name. On loopback, nothing verifies the signature itself. */
export function createGuard(permissions: ReadonlyMap<string, IsAllowed>, arns: Arns): IamAuthorizer {
  return async (request, answer) => {
    const caller = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'nobody';
    if (caller === HOST_ACCESS_KEY) return answer(request);
    const isAllowed = permissions.get(caller) ?? (() => false);
    const denied = readPermissions(request, arns).find((permission) => !isAllowed(permission));
    if (denied !== undefined) return refusal(serviceOf(request), caller, denied);
    const response = await answer(request);
    if (serviceOf(request) !== 's3' || response.status !== 404) return response;
    const missing = permissionToSeeMissing(request, arns);
    return isAllowed(missing) ? response : refusal('s3', caller, missing);
  };
}

/** A request that cannot be parsed requires no permissions: the endpoint rejects it with a specific error. */
function readPermissions(request: LoopbackRequest, arns: Arns): readonly Permission[] {
  try {
    return requiredPermissions(request, arns);
  } catch {
    return [];
  }
}

function refusal(service: Service, caller: string, { action, resource }: Permission): LoopbackAnswer {
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

/** The headers in which clients expect the error name, if it is not only in the body. */
const errorHeaders: Readonly<Record<Exclude<Service, 's3'>, Readonly<Record<string, string>>>> = {
  dynamodb: {},
  sqs: { 'x-amzn-query-error': 'AccessDenied;Sender' },
  kms: {},
  ses: { 'x-amzn-ErrorType': 'AccessDeniedException' },
};
