/** Structured logs: one JSON object per line on standard output, for CloudWatch and for terminals. */

const levels = { debug: 10, info: 20, warn: 30, error: 40, silent: 100 } as const;

export type LogLevel = keyof typeof levels;

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/**
 * Creates a log that writes lines of at least `level`. Fields never contain a body, a header, or a token: callers pass
 * names, numbers, and Error objects.
 */
export function createLog(level: LogLevel, write: (line: LogFields) => void = writeLine): Log {
  const at =
    (name: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: LogFields = {}) => {
      if (isWritten(name, level)) write({ time: new Date().toISOString(), level: name, message, ...fields });
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Whether a log with the level `lowest` writes lines of `level`. */
export const isWritten = (level: Exclude<LogLevel, 'silent'>, lowest: LogLevel): boolean =>
  levels[level] >= levels[lowest];

export function writeLine(line: LogFields): void {
  process.stdout.write(`${JSON.stringify(line, errorsAsText)}\n`);
}

function errorsAsText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return {
    name: value.name,
    message: value.message,
    stack: value.stack,
    ...(value.cause ? { cause: value.cause } : {}),
    ...(value instanceof AggregateError ? { errors: value.errors } : {}),
  };
}
