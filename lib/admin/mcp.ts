/** `mcp`: the Model Context Protocol over standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readTypedName } from '../../shared/api/domain-names.ts';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { recordLookups } from '../../shared/checks/record-lookups.ts';
import { type CheckToolDependencies, checkTools } from '../../shared/mcp/check-tools.ts';
import { mcpServer, type ServedTools } from '../../shared/mcp/server.ts';
import { systemClock } from '../../shared/network/clock.ts';
import { operatorFor } from '../../shared/operations/operation.ts';
import { invalid } from '../../shared/operations/outcome.ts';
import { parseDomainName } from '../../shared/protocol/domain-name.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../shared/runtime/dependencies/check-context.ts';
import { asRefusal } from '../../shared/runtime/http/errors.ts';
import { release } from '../local/host/release.ts';
import { commandLine, formatError, read } from '../terminal/command-line.ts';
import type { Place } from './deployment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Serves until standard input ends: tools about any domain, and with `--organization` those about its domains.
 * @throws UsageError for wrong arguments; CommandError, ConfigError or DataFolderError if the stores cannot be opened.
 */
export async function runMcp(args: readonly string[], environment: Environment): Promise<{ code: number }> {
  const program = commandLine('mcp')
    .description(
      'Answers AI assistants by the Model Context Protocol, over standard input and output. Only reads.',
    )
    .option('--organization <id>', 'also answer about the domains of this organization')
    .option(
      '--outputs <file>',
      'stack outputs of the deployment that has it (default: the service in DATA_DIR)',
    );
  const { organization, ...place } = read(program, args).opts<Place & { readonly organization?: string }>();
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve));
  if (organization === undefined) {
    serve({ caller: readerOf(''), tools: checkTools, deps: checksOf(environment) });
    await ended;
    return { code: 0 };
  }
  const { openTools } = await import('./mcp-stores.ts');
  const { tools, deps, close } = await openTools(place, checksOf(environment), environment);
  serve({ caller: readerOf(organization), tools, deps });
  await ended;
  await close();
  return { code: 0 };
}

const readerOf = (organization: string) => ({ ...operatorFor(organization), may: 'read' as const });

function serve<Deps>(served: Pick<ServedTools<Deps>, 'caller' | 'tools' | 'deps'>): void {
  // Standard output belongs to the protocol.
  const report = (error: unknown) => void process.stderr.write(`${formatError(error)}\n`);
  const refusalOf = (error: unknown) => asRefusal(error)?.message;
  serveStdio(() => mcpServer({ ...served, version: release(), refusalOf, report }), { onerror: report });
}

/** Checks without a service: nothing is stored, and nobody else is limited. */
function checksOf(environment: Environment): CheckToolDependencies {
  const config = readEnvironment(environmentSchema, environment);
  const context = createCheckContext(config);
  return {
    hostUrl: config.HOST_URL,
    async check({ domain: typed, usageType }) {
      const name = readTypedName(typed, parseDomainName);
      if (!name.ok) return invalid({ path: 'domain', message: name.problem });
      const { dns, lookups } = recordLookups(context.network.dns);
      const checkedAt = systemClock.now().toISOString();
      const results = await inspectDomain(
        { domain: name.name, testEmailLocalPart: null, knownSelectors: [] },
        { ...context, network: { ...context.network, dns } },
      );
      const check = { domain: name.name, usageType, checkedAt, results, lookups: lookups() };
      return { value: { check, owner: null } };
    },
  };
}
