/** Why another party gave nothing. `detail`: what it said or what failed; it can be anybody's text. */
export class Problem<Code extends string> extends Error {
  readonly code: Code;
  readonly detail: string;
  /** How long it wants nobody to ask again, if it said so. */
  readonly retrySeconds: number;

  constructor(code: Code, detail: string, retrySeconds = 0) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.retrySeconds = retrySeconds;
  }
}
