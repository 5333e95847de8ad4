import { render } from 'preact'
import { App } from './app.tsx'
import { findRoute } from './find-route.ts'
import { startRouter } from './router.ts'
import { applySettings } from './settings.ts'

startRouter((path) => path === '/' || path === '/sign-in' || findRoute(path) !== undefined)
await applySettings()
render(<App />, document.querySelector('#app')!)
