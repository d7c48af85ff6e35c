import { createMcpHandler } from '@modelcontextprotocol/server';
import { API_VERSION } from '../../shared/api/version.ts';
import { checkTools } from '../../shared/mcp/check-tools.ts';
import { domainTools } from '../../shared/mcp/domain-tools.ts';
import { mcpServer } from '../../shared/mcp/server.ts';
import { mcpDependencies } from '../../shared/runtime/dependencies/mcp.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { asRefusal } from '../../shared/runtime/http/errors.ts';
import { areaOf } from '../../shared/runtime/logging/log-lines.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { routes } from './routes.ts';

const route = routes.serveMcp;

/** Each request gets a server of its own, so nothing is kept between them. */
export const handler = endpoint(route, mcpDependencies, async ({ headers, body, ...request }, deps) => {
  const { requestId } = request;
  const report = (error: unknown) =>
    record('unforeseen', { area: areaOf(route), route: route.name, requestId, error });
  const { fetch } = createMcpHandler(
    () =>
      mcpServer({
        version: API_VERSION,
        caller: request.caller,
        tools: [...checkTools, ...domainTools],
        deps,
        refusalOf: (error) => asRefusal(error)?.message,
        report,
      }),
    // A function answers once, and then ends.
    { responseMode: 'json', maxSubscriptions: 0, keepAliveMs: 0, onerror: report },
  );
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const asked = new Request(new URL(route.path, deps.hostUrl), { method: 'POST', headers: given });
  const answer = await fetch(asked, { parsedBody: body });
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  return {
    data: undefined,
    status: answer.status,
    content: { contentType, body: await answer.text() },
  };
});
