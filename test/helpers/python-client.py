"""The Python client against a server, `stdio NODE PROGRAM` or `http URL`: prints one JSON object of what it saw."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    if sys.argv[1] == "http":
        transport = streamable_http_client(sys.argv[2])
    else:
        transport = stdio_client(
            StdioServerParameters(command=sys.argv[2], args=[sys.argv[3], "--demo"])
        )
    async with transport as (reader, writer, *_):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            found = await session.call_tool("list_cell_specs", {"limit": 1})
            refused = await session.call_tool("get_cell_spec", {"cell_spec_id": "none"})
            resources = (await session.list_resources()).resources
            guide = await session.read_resource("ionworks://guide")
            prompts = (await session.list_prompts()).prompts
            try:
                await asyncio.wait_for(
                    session.call_tool("list_cell_specs", {}), 0.0001
                )
                cancelled = False
            except (asyncio.TimeoutError, TimeoutError):
                cancelled = True
            after = await session.call_tool("list_cell_specs", {"limit": 1})
    print(
        json.dumps(
            {
                "tools": len(tools),
                "items": len(json.loads(found.content[0].text)["items"]),
                "refused": json.loads(refused.content[0].text)["error"]["code"],
                "resources": [str(one.uri) for one in resources],
                "guide": "Positive current is discharge" in guide.contents[0].text,
                "prompts": len(prompts),
                "cancelled": cancelled,
                "after": len(json.loads(after.content[0].text)["items"]),
            }
        )
    )


asyncio.run(main())
