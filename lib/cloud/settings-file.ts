/** The file with the settings of a stage: JSON with comments and trailing commas. */
import { readFileSync } from 'node:fs';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod/mini';
import { ConfigError } from '../../shared/runtime/config/config.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A list, such as of resolvers, and a map, such as of tags, are read as the text that the command line has for them. */
const value = z.union([
  scalar,
  z.pipe(
    z.array(scalar),
    z.transform((list) => list.map(single).join(',')),
  ),
  z.pipe(
    z.record(z.string(), scalar),
    z.transform((map) =>
      Object.entries(map)
        .map(([key, one]) => `${single(key)}=${single(one)}`)
        .join(','),
    ),
  ),
]);

/** Parses a setting that is text, a number, a boolean, or a list or a map of these. @throws ConfigError */
export function settingText(key: string, given: unknown): string {
  const parsed = value.safeParse(given);
  if (parsed.success) return String(parsed.data);
  throw new ConfigError(`${key} must be a string, a number, a boolean, or a list or map of these`);
}

/** @throws ConfigError if the file cannot be read, or is not an object in JSON, with the line. */
export function readSettingsFile(path: string): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const text = read(path);
  const parsed: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new ConfigError(`${path}: ${printParseErrorCode(error.error)} in line ${line}`);
  }
  const settings = z.record(z.string(), z.unknown()).safeParse(parsed);
  if (!settings.success) throw new ConfigError(`${path} must contain an object with settings`);
  return settings.data;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`the settings cannot be read: ${(error as Error).message}`);
  }
}

/** An element of a list. @throws Error if it contains what separates elements. */
function single(given: string | number | boolean): string {
  const text = String(given);
  if (text.includes(',')) throw new ConfigError(`an element of a list must not contain a comma: ${text}`);
  return text;
}
