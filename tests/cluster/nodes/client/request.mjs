// Sends a GET request to each path. Prints the responses with a status of 400 or more.
const { gateway, token, paths } = JSON.parse(process.argv[2])
const failures = []
for (const path of paths) {
  const response = await fetch(gateway + path, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (!response.ok) failures.push({ path, status: response.status, text: text.slice(0, 300) })
}
console.log(JSON.stringify({ failures }))
