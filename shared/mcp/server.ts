/** A server of the Model Context Protocol over some tools, for one request or one connection. */
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import { ruleIds, ruleText, ruleUri } from './rules.ts';
import { type Tool, type ToolCaller, ToolRefusal } from './tool.ts';
import { asData, INSTRUCTIONS } from './untrusted.ts';

export interface ServedTools<Deps> {
  /** Of this release. */
  readonly version: string;
  readonly caller: ToolCaller;
  readonly tools: readonly Tool<Deps>[];
  readonly deps: Deps;
  /** Why a request cannot be answered, if that is no failure of ours. Others are reported, and not shown. */
  readonly refusalOf: (error: unknown) => string | undefined;
  readonly report: (error: unknown) => void;
}

/** Makes a server with the tools, and a resource for each rule of a finding. */
export function mcpServer<Deps>({ version, caller, tools, deps, ...failing }: ServedTools<Deps>): McpServer {
  const server = new McpServer(
    { name: 'email-domain-security-monitor', title: 'Email domain security monitor', version },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, title, description, input, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: withJson(input), annotations: { readOnlyHint: true } },
      async (given: unknown) => {
        try {
          return { content: [{ type: 'text', text: asData(await run(caller, given, deps)) }] };
        } catch (error) {
          return { content: [{ type: 'text', text: explained(error, failing) }], isError: true };
        }
      },
    );
  for (const id of ruleIds)
    server.registerResource(
      id,
      ruleUri(id),
      { description: `The rule of the finding ${id}`, mimeType: 'application/json' },
      async (uri) => ({
        contents: [
          { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(ruleText(id), null, 1) },
        ],
      }),
    );
  return server;
}

function explained(
  error: unknown,
  { refusalOf, report }: Pick<ServedTools<unknown>, 'refusalOf' | 'report'>,
): string {
  if (error instanceof ToolRefusal) return error.message;
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  report(error);
  return 'The service failed. Try again later.';
}

/** The JSON Schema of a schema beside its validation, which the SDK expects of it. */
const withJson = (schema: z.ZodMiniType): StandardSchemaWithJSON => ({
  '~standard': {
    ...schema['~standard'],
    jsonSchema: {
      input: () => z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>,
      output: () => z.toJSONSchema(schema, { io: 'output' }) as Record<string, unknown>,
    },
  },
});
