/** The disk of a simulated world: files and databases in memory. It outlives processes, and can be full. */
import { DatabaseSync } from 'node:sqlite';

/** SQLite's own maximum. */
const MOST_PAGES = 4_294_967_294;
const FIRST_DESCRIPTOR = 1000;

export class Disk {
  readonly #files = new Map<string, Buffer>();
  readonly #databases = new Map<string, DatabaseSync>();
  readonly #open = new Map<number, string>();
  #descriptor = FIRST_DESCRIPTOR;
  #isFull = false;

  /** Nothing more can be stored while it is full. */
  fill(isFull: boolean): void {
    this.#isFull = isFull;
    for (const database of this.#databases.values()) {
      const pages = isFull ? database.prepare('PRAGMA page_count').get()?.page_count : MOST_PAGES;
      database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    }
  }

  /** The database of a file, as it is. */
  database(path: string): DatabaseSync {
    const database = this.#databases.get(path);
    if (database === undefined) throw new Error(`there is no database ${path}`);
    return database;
  }

  close(): void {
    for (const database of this.#databases.values()) database.close();
  }

  /** `DatabaseSync`: what processes open is the same database, which a process that ends does not close. */
  databases() {
    const opened = (path: string): DatabaseSync => {
      const database = this.#databases.get(path) ?? new DatabaseSync(':memory:');
      this.#databases.set(path, database);
      return database;
    };
    return class {
      readonly #database: DatabaseSync;

      constructor(path: string) {
        this.#database = opened(path);
      }

      get isTransaction(): boolean {
        return this.#database.isTransaction;
      }

      exec(sql: string): void {
        this.#database.exec(sql);
      }

      prepare(sql: string) {
        return this.#database.prepare(sql);
      }

      function(...given: Parameters<DatabaseSync['function']>): void {
        this.#database.function(...given);
      }

      close(): void {}
    };
  }

  /** The functions of `node:fs` that the stores use. */
  files() {
    const fail = (code: string) => Object.assign(new Error(code), { code });
    const found = (path: string): Buffer => {
      const bytes = this.#files.get(path);
      if (bytes === undefined) throw fail('ENOENT');
      return bytes;
    };
    const pathOf = (file: string | number): string =>
      typeof file === 'number' ? (this.#open.get(file) ?? '') : file;
    const write = (file: string | number, data: string | Uint8Array): void => {
      if (this.#isFull) throw fail('ENOSPC');
      this.#files.set(pathOf(file), Buffer.from(data as string));
    };
    return {
      ...{ mkdirSync() {}, chmodSync() {}, fsyncSync() {} },
      openSync: (path: string, flags: string): number => {
        if (flags.includes('x') && this.#files.has(path)) throw fail('EEXIST');
        if (!this.#files.has(path)) this.#files.set(path, Buffer.alloc(0));
        const descriptor = this.#descriptor++;
        this.#open.set(descriptor, path);
        return descriptor;
      },
      closeSync: (descriptor: number) => void this.#open.delete(descriptor),
      writeSync: write,
      writeFileSync: write,
      readFileSync: (path: string, encoding?: BufferEncoding) =>
        encoding === undefined ? found(path) : found(path).toString(encoding),
      linkSync: (from: string, to: string) => {
        if (this.#files.has(to)) throw fail('EEXIST');
        this.#files.set(to, found(from));
      },
      rmSync: (path: string) => void this.#files.delete(path),
      statSync: () => ({ dev: 1, ino: 1 }),
      existsSync: (path: string) => this.#files.has(path),
    };
  }
}
