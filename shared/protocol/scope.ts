/** What an API token can do: each scope includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;

export type Scope = (typeof scopes)[number];

/** What a person can do: the scopes of tokens, in words for people. */
export const roles = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof roles)[number];

const roleNames: Readonly<Record<Scope, Role>> = { read: 'viewer', write: 'editor', admin: 'admin' };

const scopeNames: Readonly<Record<Role, Scope>> = { viewer: 'read', editor: 'write', admin: 'admin' };

export const roleOf = (scope: Scope): Role => roleNames[scope];

export const scopeOf = (role: Role): Scope => scopeNames[role];
