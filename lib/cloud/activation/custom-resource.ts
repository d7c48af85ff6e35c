/** The protocol of a CloudFormation custom resource: a response to every event, whatever happens. */
import type {
  CloudFormationCustomResourceEvent as Event,
  CloudFormationCustomResourceResponse as Response,
} from 'aws-lambda';
import { createLog } from '../../../shared/runtime/logging/log.ts';

/** How often the response is sent: without a response, CloudFormation waits until its timeout. */
const SENDINGS = 3;

/** The response can have at most 4096 bytes, and the reason is shown in a terminal. */
const MAX_REASON = 1000;

/**
 * Creates the handler of a custom resource.
 *
 * @param physicalId Must never change: a new id makes CloudFormation delete the resource with the old id.
 * @param act Handles the event. The message that it returns is logged and sent with the response; an Error that it
 *   throws fails the deployment with its message.
 */
export function customResource(
  physicalId: string,
  act: (event: Event) => Promise<string | undefined>,
): (event: Event) => Promise<void> {
  return async (event) => {
    const { StackId, RequestId, LogicalResourceId, ResponseURL } = event;
    const answer = { StackId, RequestId, LogicalResourceId, PhysicalResourceId: physicalId };
    await act(event).then(
      (note) => {
        if (note !== undefined) createLog('info').warn(note);
        return send(ResponseURL, { ...answer, Status: 'SUCCESS', ...(note && { Reason: note }) });
      },
      (error: unknown) => send(ResponseURL, { ...answer, Status: 'FAILED', Reason: reasonOf(error) }),
    );
  };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON);
}

/** @throws if CloudFormation does not accept the response; Lambda then retries the function. */
async function send(url: string, response: Omit<Response, 'Reason'> & { Reason?: string }): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // The URL is presigned for a request without a content type.
    const sent = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': '' },
      body: JSON.stringify(response),
    }).catch((error: Error) => error);
    if (sent instanceof globalThis.Response && sent.ok) return;
    if (attempt < SENDINGS) continue;
    throw sent instanceof Error ? sent : new Error(`CloudFormation returned ${sent.status}`);
  }
}
