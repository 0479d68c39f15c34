"""Which walls this machine gives, found by raising them."""

import asyncio
from functools import lru_cache

from actum.errors import NoWall
from actum.places.local.levels import Walls, problems_of, refused, stop, without_landlock
from actum.places.local.place import Local


@lru_cache(maxsize=1)
def probe() -> Walls:
    """Raise the walls once with nothing behind them. The answer is kept for this process."""
    place = Local(preload=())
    try:
        environment = asyncio.run(place.environment())
        refusals = place.refusals
    except NoWall as problem:
        return Walls(
            level=None,
            layers={refusal.level: refused(refusal) for refusal in place.refusals},
            problems=(*problems_of(place.refusals), stop(problem.why)),
        )
    finally:
        asyncio.run(place.close())
    problems = problems_of(refusals)
    if environment.layers.get("landlock", "").startswith("missing"):
        problems.append(without_landlock(environment.layers["landlock"]))
    return Walls(level=environment.level, layers=environment.layers, problems=tuple(problems))
