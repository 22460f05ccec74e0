/** What stands before all paths where the server is behind a proxy with a path of its own; else nothing. */
export const root = location.pathname.replace(/\/_console(\/.*)?$/, '').replace(/\/$/, '')
