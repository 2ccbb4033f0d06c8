"""Writes a data set in the format of LIBSVM: 2000 observations with 50 of 1000000 features each.

The suite uses gisette_scale (5000 features), which has to be downloaded. Few features are shared by two
observations, so the order of the atomic additions shows in no digit of the result.
"""

import random

OBSERVATIONS, FEATURES, NONZERO = 2000, 1000000, 50

random.seed(1)
for observation in range(OBSERVATIONS):
    columns = sorted(random.sample(range(1, FEATURES), NONZERO))
    if observation == 0:
        columns[-1] = FEATURES
    values = " ".join(f"{column}:{random.uniform(-1, 1):.3f}" for column in columns)
    print(random.choice((-1, 1)), values)
