/** Tags of the resources of a deployment, beside its own ones. */

/** What AWS accepts ("Tag naming limits and requirements"), without the characters that separate tags. */
const TAG = /^\s*((?!aws:)[\w .:/@-]{1,128})=([\w .:/@-]{0,256})\s*$/i;

/** `team=mail,...`. @throws an Error whose message completes "tags ...". */
export function parseTags(text: string): Readonly<Record<string, string>> {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, key, value] = TAG.exec(entry) ?? [];
      if (key === undefined || value === undefined)
        throw new Error(`must be a comma-separated list of key=value; invalid: ${entry}`);
      return [key, value];
    }),
  );
}
